/// The method `groupCreate`.
package enum GroupCreateMethod: ControlMethod {
    package static let description = MethodDescription(
        "groupCreate",
        "Create a group: its admins decide who is in it, and the user owns it for ever.",
        result: "conversation", errors: [.notFound, .refused, .storageFailed], isChange: true,
        details:
            "Two groups may have one name. Nobody can take over a group or hand it over.",
        reasons: [
            "notInRealm": "the user is not in the realm",
            "tooManyRooms": "the user is in too many rooms",
        ],
        example: ["name": "ops", "history": "joined"])

    package struct Params: ControlValue {
        package var name = ""
        package var history: HistoryWord?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "name", &self.name, .word, "The name: NAME, or REALM/NAME, with + or without.")
            visitor.field(
                "history", &self.history, .any,
                "Newcomers can read all (default), or only what is written once they are in.")
        }
    }

    package typealias Result = ConversationResult
}
