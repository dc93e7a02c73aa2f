/// The method `groupLink`.
package enum GroupLinkMethod: ControlMethod {
    package static let description = MethodDescription(
        "groupLink", "Get a line by which anyone can come into a group, or end such links.",
        result: "link", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed],
        isChange: true,
        details:
            "For admins. Anyone who has the line, and is in the group's realm, comes in through any linked member; no "
            + "admin need be online. Without days the user's newest open link of the same sort is shown again, if this device "
            + "made it. Removing anyone ends all links, and demoting an admin ends theirs. With end, the user's own open "
            + "links end, or the one that act names.",
        reasons: GroupInfoMethod.linkReasons,
        example: ["group": "+ops", "approve": true])

    package struct Params: ControlValue {
        package var group = ""
        package var approve: Bool?
        package var days: Int64?
        package var end: Bool?
        package var act: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("group", &self.group, .word, GroupParams.summary)
            visitor.field(
                "approve", &self.approve, .any,
                "True for a link by which people come in only once an admin lets them (groupApprove)."
            )
            visitor.field(
                "days", &self.days, .any,
                "How many days a new link works, 1 to 365; 7 if none can be shown again.")
            visitor.field("end", &self.end, .any, "True to end links instead.")
            visitor.field(
                "act", &self.act, .any,
                "Only with end: at least 8 characters of the id of a link, also of another admin's."
            )
        }
    }

    /// A link, or how many have ended.
    package struct Result: ControlValue {
        package var name = ""
        package var act: String?
        package var invite: String?
        package var approve: Bool?
        package var expires: Timestamp?
        package var ended: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "The name of the group here.")
            visitor.field("act", &self.act, .any, "The link's id; left out with end.")
            visitor.field(
                "invite", &self.invite, .any,
                "The line: one line that lets anyone in; left out with end.")
            visitor.field("approve", &self.approve, .any, "True if an admin lets people in.")
            visitor.field(
                "expires", &self.expires, .any, "Until when it works; left out for ever.")
            visitor.field("ended", &self.ended, .any, "With end: how many links have ended.")
        }
    }

    package static func check(_ params: Params) throws(RPCError) {
        let isEnd = params.end == true
        guard params.act == nil || isEnd else { throw Self.only("act", with: "end") }
        guard !isEnd || (params.days == nil && params.approve == nil) else {
            throw .invalidParams(
                "a link that ends takes neither days nor approve", reason: "oneOf",
                remedy: "leave them out", details: [JSON.Member("param", "end")])
        }
        guard (1...365).contains(params.days ?? 1) else {
            throw .invalidParams(
                "a link works for 1 to 365 days", reason: "range", remedy: "give a number of days",
                details: [JSON.Member("param", "days")])
        }
    }

    private static func only(_ name: String, with other: String) -> RPCError {
        .invalidParams(
            "\(name) is given only with \(other)", reason: "oneOf", remedy: "leave it out",
            details: [JSON.Member("param", .string(name))])
    }
}
