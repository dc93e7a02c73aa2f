/// The method `groupApprove`.
package enum GroupApproveMethod: ControlMethod {
    package static let description = MethodDescription(
        "groupApprove", "Let an undecided act of a group count after all.",
        result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], isChange: true,
        details:
            "An act is undecided if, for example, its author was removed before the others had it. "
            + "groupInfo lists them. Anyone who may do the same can approve it.",
        reasons: GroupInfoMethod.reasons,
        example: ["group": "+ops", "act": "7k3mz2qd"])

    package struct Params: ControlValue {
        package var group = ""
        package var act = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("group", &self.group, .word, GroupParams.summary)
            visitor.field(
                "act", &self.act, .word,
                "The act: at least 8 characters of its id, or @ and the name of the person it is about."
            )
        }
    }

    package typealias Result = ConversationResult
}
