/// The method `search`.
package enum SearchMethod: ControlMethod {
    package static let description = MethodDescription(
        "search", "Find messages by their words.", result: "found",
        errors: [.notFound, .ambiguous, .storageFailed, .notMember], hasLargeAnswer: true,
        access: .group)

    /// In which order hits come.
    package enum Order: String, WordValue {
        /// Those that came last first.
        case newest
        /// Those that fit best first.
        case rank
    }

    /// What to look for, and where.
    package struct Params: ControlValue {
        package var words = ""
        /// A room, a person or a conversation id; nil for all conversations.
        package var to: String?
        /// Whose messages: people as they are written, with `@`; nil for everybody's.
        package var authors: [String]?
        /// Only messages of this time or later.
        package var since: Timestamp?
        /// Only messages of before this time.
        package var until: Timestamp?
        /// In which order; nil for the newest first.
        package var order: Order?
        /// The most hits to return, 1 to ``hitsLimit``.
        package var limit: Int64?
        /// How many hits to leave out first.
        package var offset: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "words", &self.words, .bytes(SearchMethod.wordsBytes),
                "Words that must all be there; several in quotes as they stand, and with * at the end the beginning of one."
            )
            visitor.field(
                "to", &self.to, .word,
                "Only in this room (bare word), with this @name, or of this conversation id.")
            visitor.field(
                "authors", &self.authors, .any, "Only what these people have written: @names.")
            visitor.field("since", &self.since, .any, "Only messages of this time or later.")
            visitor.field("until", &self.until, .any, "Only messages of before this time.")
            visitor.field("order", &self.order, .any, "newest (default) or rank: what fits best.")
            visitor.field(
                "limit", &self.limit, .range(1...SearchMethod.hitsLimit),
                "The most hits to return; 20 by default.")
            visitor.field(
                "offset", &self.offset, .range(0...SearchMethod.offsetLimit),
                "How many hits to leave out, to see the next ones.")
        }
    }

    /// The longest text to look for, in bytes.
    package static let wordsBytes = 1_024
    /// The most hits of one answer.
    package static let hitsLimit: Int64 = 100
    /// How far hits can be paged.
    package static let offsetLimit: Int64 = 10_000

    /// A part of an excerpt.
    package struct Part: ControlValue {
        package var text = ""
        /// True where it is what was looked for; nil otherwise.
        package var match: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("text", &self.text)
            visitor.field("match", &self.match)
        }
    }

    /// A message that was found.
    package struct Hit: ControlValue {
        package var message = MessageResult()
        /// The part of its text with what was looked for.
        package var excerpt: [Part] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("message", &self.message)
            visitor.field("excerpt", &self.excerpt)
        }
    }

    /// What was found.
    package struct Result: ControlValue {
        /// The messages, in the order that was asked for.
        package var hits: [Hit] = []
        /// Whether more follow.
        package var more = false
        /// False while messages are still being indexed, or where there was no time for all of them, so that
        /// some may be missing.
        package var complete = true
        /// Messages of sealed conversations before this time were not looked at; nil where all were.
        ///
        /// There was no time for them: a search `until` then goes on with them.
        package var unread: Timestamp?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("hits", &self.hits)
            visitor.field("more", &self.more)
            visitor.field("complete", &self.complete)
            visitor.field("unread", &self.unread)
        }
    }
}
