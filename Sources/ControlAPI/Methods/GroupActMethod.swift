/// The method `groupAct`.
package enum GroupActMethod: ControlMethod {
    package static let description = MethodDescription(
        "groupAct", "Invite someone to a group, remove them, or change what they may do there.",
        result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], isChange: true,
        details:
            "Someone who is invited is asked on their side, and is told nothing more before they accept. "
            + "Someone who is removed can read nothing that is written by those who know of it; "
            + "nothing that was read is recalled.",
        reasons: GroupInfoMethod.reasons,
        example: ["group": "+ops", "act": "add", "person": "@ben"])

    package struct Params: ControlValue {
        package var group = ""
        package var act = GroupActWord.add
        package var person = ""
        package var above: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("group", &self.group, .word, GroupParams.summary)
            visitor.field(
                "act", &self.act, .any,
                "add (invite) and remove are for admins, admin is for the owner, demote for the owner and more senior admins."
            )
            visitor.field("person", &self.person, .word, "Whom: @ and a name or key.")
            visitor.field(
                "above", &self.above, .any,
                "Only with admin: the admin whom they are to be more senior than; else they are the least senior."
            )
        }
    }

    package typealias Result = ConversationResult

    package static func check(_ params: Params) throws(RPCError) {
        guard params.above == nil || params.act == .admin else {
            throw .invalidParams(
                "only admin takes above", reason: "oneOf", remedy: "leave it out",
                details: [JSON.Member("param", "above")])
        }
    }
}
