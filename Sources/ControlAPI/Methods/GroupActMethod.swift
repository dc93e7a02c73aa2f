/// The method `groupAct`.
package enum GroupActMethod: ControlMethod {
    package static let description = MethodDescription(
        "groupAct", "Invite someone to a group, remove them, or change what they may do there.",
        result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], isChange: true,
        details:
            "Someone who is invited is asked on their side, and is told nothing more before they accept. "
            + "Someone who is removed can read nothing that is written by those who know of it; "
            + "nothing that was read is recalled. Before remove and demote, all linked members are asked for what they have done "
            + "in the group, for at most 10 seconds; nothing is done if the client goes meanwhile. The answer names members who could not be asked.",
        reasons: GroupInfoMethod.reasons,
        example: ["group": "+ops", "act": "add", "person": "@ben"])

    package struct Params: ControlValue {
        package var group = ""
        package var act = GroupActWord.add
        package var person = ""
        package var above: String?
        package var now: Bool?
        package var since: Timestamp?

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
            visitor.field(
                "now", &self.now, .any,
                "Only with remove and demote: true to do it without asking linked members first for what they have done."
            )
            visitor.field(
                "since", &self.since, .any,
                "Only with remove: nothing counts either that they did in the group from then on, unless an admin accepts it."
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
        guard params.now == nil || params.act.takesAway else {
            throw .invalidParams(
                "only remove and demote take now", reason: "oneOf", remedy: "leave it out",
                details: [JSON.Member("param", "now")])
        }
        guard params.since == nil || params.act == .remove else {
            throw .invalidParams(
                "only remove takes since", reason: "oneOf", remedy: "leave it out",
                details: [JSON.Member("param", "since")])
        }
    }
}
