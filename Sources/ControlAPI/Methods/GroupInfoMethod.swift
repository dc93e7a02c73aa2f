/// The method `groupInfo`.
package enum GroupInfoMethod: ControlMethod {
    package static let description = MethodDescription(
        "groupInfo", "Show who is in a group, by whom, and what is undecided.", result: "group",
        errors: [.notFound, .ambiguous, .refused], hasLargeAnswer: true, access: .group,
        reasons: ["notGroup": "the conversation is no group"])

    /// Why something is not done in a group.
    static let reasons: KeyValuePairs<String, String> = [
        "notGroup": "the conversation is no group",
        "notOwner": "only the owner may",
        "notAdmin": "only an admin may",
        "notInGroup": "the person is no member",
        "ownerStays": "the owner cannot be removed or demoted",
        "oneself": "it is about the user: leave instead",
        "outranked": "the person is as senior as the user, or more",
        "removed": "someone more senior has removed the person",
        "full": "the group has 200 members, or 64 people have been admins",
        "keysUnknown": "the person's keys never arrived here",
    ]

    /// Why no link is made or ended.
    static let linkReasons: KeyValuePairs<String, String> = [
        "notGroup": "the conversation is no group",
        "notAdmin": "only an admin may",
        "tooManyLinks": "32 links are open",
        "noLink": "there is no such open link",
    ]

    package typealias Params = GroupParams

    /// Somebody in the group.
    package struct Member: ControlValue {
        package var person = ""
        package var id: String?
        package var name = ""
        package var ambiguous: Bool?
        package var own: Bool?
        package var role = RoleWord.member
        package var since = Timestamp(milliseconds: 0)
        package var by = ""
        package var waiting: Bool?
        package var devices: [String] = []
        package var linked: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .any, "The member's person, the same on all devices.")
            visitor.field(
                "id", &self.id, .id, "A device of the member; left out if none is known here.")
            visitor.field("name", &self.name, .any, "The member's name here.")
            visitor.ambiguous(&self.ambiguous)
            visitor.field("own", &self.own, .any, "True for the user.")
            visitor.field("role", &self.role, .any, "owner, admin or member.")
            visitor.field("since", &self.since, .any, "When they were invited or made an admin.")
            visitor.field("by", &self.by, .any, "The name of the person who did that.")
            visitor.field(
                "waiting", &self.waiting, .any,
                "True if they have not written or done anything in the group yet.")
            visitor.field(
                "devices", &self.devices, .any, "Their devices, as far as they are known here.")
            visitor.field(
                "linked", &self.linked, .any,
                "True if one of these devices is linked with this node, so that they learn at once of what is done."
            )
        }
    }

    /// An act that does not count, unless somebody approves it.
    package struct Undecided: ControlValue {
        package var act = ""
        package var does = ""
        package var person: String?
        package var by = ""
        package var reason = ""
        package var time = Timestamp(milliseconds: 0)

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("act", &self.act, .any, "The act's id, for groupApprove.")
            visitor.field(
                "does", &self.does, .any,
                "The word for the act: add, remove, admin, demote, link, join or another word.")
            visitor.field(
                "person", &self.person, .any, "The name of whom it is about; left out if of nobody."
            )
            visitor.field("by", &self.by, .any, "The name of its author.")
            visitor.field(
                "reason", &self.reason, .any,
                "Why it does not count: a word, as in groupAct; approve: someone came by a link and waits."
            )
            visitor.field("time", &self.time, .any, "When, by its author's clock.")
        }
    }

    /// A link by which anyone can come in.
    package struct Link: ControlValue {
        package var act = ""
        package var by = ""
        package var own: Bool?
        package var approve: Bool?
        package var time = Timestamp(milliseconds: 0)
        package var expires: Timestamp?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("act", &self.act, .any, "The link's id, for groupLink.")
            visitor.field("by", &self.by, .any, "The name of the admin who made it.")
            visitor.field(
                "own", &self.own, .any,
                "True if this device made it, so that groupLink can show its line again.")
            visitor.field("approve", &self.approve, .any, "True if an admin lets people in.")
            visitor.field("time", &self.time, .any, "When it was made, by its maker's clock.")
            visitor.field(
                "expires", &self.expires, .any, "Until when it works; left out for ever.")
        }
    }

    package struct Result: ControlValue {
        package var id = ""
        package var name = ""
        package var history = HistoryWord.all
        package var role: RoleWord?
        package var members: [Member] = []
        package var undecided: [Undecided] = []
        package var links: [Link] = []
        package var waitingActs: Int64 = 0
        package var acts: Int64 = 0

        package var expectedBytes: Int {
            400 * (self.members.count + self.undecided.count + self.links.count) + 200
        }

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The group's id.")
            visitor.field("name", &self.name, .any, "Its name here: +ops.")
            visitor.field(
                "history", &self.history, .any, "How much newcomers can read: all or joined.")
            visitor.field(
                "role", &self.role, .any, "The user's role in it; left out if not a member.")
            visitor.field(
                "members", &self.members, .any,
                "Its members: the owner, admins by seniority, then all others.")
            visitor.field(
                "undecided", &self.undecided, .any,
                "Acts that do not count and that someone may approve.")
            visitor.field("links", &self.links, .any, "Its open links, for admins to end.")
            visitor.field(
                "waitingActs", &self.waitingActs, .any,
                "How many acts are here that follow acts that are not.")
            visitor.field(
                "acts", &self.acts, .any, "How many acts are here; a group can have 4,096.")
        }
    }
}
