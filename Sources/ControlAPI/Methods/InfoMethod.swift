/// The method `info`.
package enum InfoMethod: ControlMethod {
    package static let description = MethodDescription(
        "info",
        "Show a message with all that is known of it: who has it, and what people make of it.",
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
        /// The member is not linked, and has not said to have it.
        case away
    }

    /// A member, and what has become of the message there.
    package struct Member: ControlValue {
        /// The device.
        package var id = ""
        /// The name that it goes by here.
        package var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        package var ambiguous: Bool?
        /// What has become of the message there.
        package var outcome = Outcome.away

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("outcome", &self.outcome)
        }
    }

    /// An edit or a reaction of somebody who has signed two histories: it does not count.
    package struct Disputed: ControlValue {
        /// How many are listed at most: the latest.
        package static let listed = 16

        /// Who has said it.
        package var author = ""
        /// The name that they go by here, as `Ada@` and the beginning of the key where it is ambiguous.
        package var authorName = ""
        /// When, by their clock.
        package var time = Timestamp(milliseconds: 0)
        /// The text of an edit; nil for a reaction.
        package var text: String?
        /// The sign of a reaction; nil for an edit.
        package var sign: String?
        /// True where that takes the sign back; nil otherwise.
        package var withdrawn: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("author", &self.author, .id)
            visitor.field("authorName", &self.authorName)
            visitor.field("time", &self.time)
            visitor.field("text", &self.text)
            visitor.field("sign", &self.sign)
            visitor.field("withdrawn", &self.withdrawn)
        }
    }

    /// All that is known of a message.
    package struct Result: ControlValue {
        /// How many members are listed at most: those whom the user knows come first.
        package static let listedMembers = 256

        /// The message; nil where its text is gone, or is of a kind that is not shown by itself.
        package var message: MessageResult?
        package var id = ""
        /// Whether its text was taken back.
        package var erased = false
        /// The text that it had at first, where it was edited.
        package var firstText: String?
        /// Edits and reactions that a fork has put in dispute; nil where there are none.
        package var disputed: [Disputed]?
        /// What keeps an own message from those who do not have it; nil where nothing does.
        package var waits: SendMethod.Waits?
        /// The other members, and what has become of it there; nil where it is not your own.
        package var members: [Member]?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("message", &self.message, .orNull)
            visitor.field("erased", &self.erased)
            visitor.field("firstText", &self.firstText)
            visitor.field("disputed", &self.disputed)
            visitor.field("members", &self.members)
            visitor.field("waits", &self.waits)
        }
    }
}
