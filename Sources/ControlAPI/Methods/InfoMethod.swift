/// The method `info`.
package enum InfoMethod: ControlMethod {
    package static let description = MethodDescription(
        "info",
        "Show all that is known about a message: its delivery, reactions and edits.",
        result: "info", errors: [.notFound, .ambiguous, .storageFailed, .notMember], access: .group)

    package typealias Params = MessageParams

    /// What has become of an own message at a member.
    package enum Outcome: String, WordValue {
        /// The member's user has read it.
        case read
        /// The member says to have it.
        case delivered
        /// The member says to have it and shows it later, since it is ahead of time there.
        case held
        /// The member is linked, and does not have it yet.
        case waiting
        /// The member is not linked, and others have it to pass it on.
        case onItsWay
        /// The member is not linked, and has not said to have it.
        case away
    }

    /// A member, and what has become of the message there.
    package struct Member: ControlValue {
        package var id = ""
        package var name = ""
        package var ambiguous: Bool?
        package var outcome = Outcome.away
        package var through: [String]?
        package var throughNames: [String]?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The member's device.")
            visitor.field("name", &self.name, .any, "The member's name here.")
            visitor.ambiguous(&self.ambiguous)
            visitor.field(
                "outcome", &self.outcome, .any,
                "read; delivered; held: they have it and show it later, because it is ahead of their clock; waiting: linked, but without it; onItsWay: not linked, but others have it and pass it on; away: not linked, and has not confirmed it."
            )
            visitor.field(
                "through", &self.through, .any,
                "For onItsWay: the devices that have it and pass it on, at most 3.")
            visitor.field("throughNames", &self.throughNames, .any, "Their names here.")
        }
    }

    /// An edit or a reaction of somebody who has signed two histories: it does not count.
    package struct Disputed: ControlValue {
        /// How many are listed at most: the latest.
        package static let listed = 16

        package var author = ""
        package var authorName = ""
        package var time = Timestamp(milliseconds: 0)
        package var text: String?
        package var sign: String?
        package var removed: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("author", &self.author, .id, "The device that made the edit or reaction.")
            visitor.field(
                "authorName", &self.authorName, .any,
                "The author's name here; Ada@ and the beginning of the key if the name is ambiguous."
            )
            visitor.field("time", &self.time, .any, "When, by the author's clock.")
            visitor.field("text", &self.text, .any, "The text of an edit.")
            visitor.field("sign", &self.sign, .any, "The emoji or word of a reaction.")
            visitor.field("removed", &self.removed, .any, "True if it removes the reaction.")
        }
    }

    /// A message by its author and its number.
    package struct Followed: ControlValue {
        package var id = ""
        package var author: String?
        package var authorName: String?
        package var number: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The id of the entry.")
            visitor.field(
                "author", &self.author, .any, "The author's device; left out if it is not here.")
            visitor.field(
                "authorName", &self.authorName, .any,
                "The author's name here; Ada@ and the beginning of the key if the name is ambiguous."
            )
            visitor.field(
                "number", &self.number, .any,
                "Its number in its author's log, which also counts joins, edits and reactions.")
        }
    }

    /// All that is known of a message.
    package struct Result: ControlValue {
        /// How many members are listed at most: those whom the user knows come first.
        package static let listedMembers = 256

        package var message: MessageResult?
        package var id = ""
        package var author = ""
        package var number: Int64 = 0
        package var incarnation = ""
        package var follows: [Followed] = []
        package var deleted = false
        package var firstText: String?
        package var disputed: [Disputed]?
        package var waits: SendMethod.Waits?
        package var members: [Member]?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The message's id.")
            visitor.field(
                "message", &self.message, .orNull, "The message; null if its text is gone.")
            visitor.field("author", &self.author, .id, "The author's device.")
            visitor.field("number", &self.number, .any, "Its number in its author's log.")
            visitor.field(
                "incarnation", &self.incarnation, .any,
                "Which of the author's logs that is: 16 hexadecimal digits.")
            visitor.field(
                "follows", &self.follows, .any,
                "The entries that it directly follows: the one before it in its log, and the last ones its author had from others."
            )
            visitor.field("deleted", &self.deleted, .any, "Whether its text was deleted.")
            visitor.field("firstText", &self.firstText, .any, "Its first text, if it was edited.")
            visitor.field(
                "disputed", &self.disputed, .any,
                "Recent edits and reactions that do not count, because their author signed two histories."
            )
            visitor.field(
                "members", &self.members, .any,
                "Other members, at most 256, contacts first; only for your own message.")
            visitor.field(
                "waits", &self.waits, .any, "Why it has not reached everyone: as in send.")
        }
    }
}
