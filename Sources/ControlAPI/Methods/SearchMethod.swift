/// The method `search`.
package enum SearchMethod: ControlMethod {
    package static let description = MethodDescription(
        "search", "Find messages by their words.", result: "found",
        errors: [.notFound, .ambiguous, .storageFailed, .notMember], hasLargeAnswer: true,
        access: .group,
        details:
            "Words match in upper or lower case, with or without accents, and the last one "
            + "may be the beginning of a word; in scripts without spaces, and in direct and "
            + "secret conversations, any part of a text matches. Files are found by name too. The "
            + "index of open rooms is built by the first search, which waits for it up to "
            + "five seconds; direct and secret conversations are read each time, newest "
            + "first, up to five seconds.",
        reasons: [
            "noWords": "there is no word to search for"
        ],
        example: ["words": "\"paper jam\" print*", "to": "ops"])

    /// What else to try where words were not found.
    package static func advice(for words: String) -> String {
        if words.contains("\"") { return "try the words without quotes" }
        let all = words.split(whereSeparator: \.isWhitespace)
        guard all.count > 1 else {
            return "try a shorter beginning of the word, or a word that means the same"
        }
        return "try fewer words, or only their beginnings: "
            + all.map { $0.hasSuffix("*") ? "\($0)" : "\($0.prefix(4))*" }.joined(separator: " ")
    }

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
                "Words that must all occur; quote a phrase to match it exactly, end a word before the last with * to match its beginning."
            )
            visitor.field(
                "to", &self.to, .word,
                "Only in this room (bare word), with this @name, or in this conversation id.")
            visitor.field(
                "authors", &self.authors, .any, "Only what these people wrote: @names.")
            visitor.field("since", &self.since, .any, "Only messages since this time.")
            visitor.field("until", &self.until, .any, "Only messages before this time.")
            visitor.field(
                "order", &self.order, .any, "newest (default) or rank: the best matches first.")
            visitor.field(
                "limit", &self.limit, .range(1...SearchMethod.hitsLimit),
                "The most hits to return; 20 by default.")
            visitor.field(
                "offset", &self.offset, .range(0...SearchMethod.offsetLimit),
                "How many hits to skip.")
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
        package var match: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("text", &self.text, .any, "The text.")
            visitor.field("match", &self.match, .any, "True if this part matched.")
        }
    }

    /// A message that was found.
    package struct Hit: ControlValue {
        package var message = MessageResult()
        package var excerpt: [Part] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("message", &self.message, .any, "The message.")
            visitor.field(
                "excerpt", &self.excerpt, .any,
                "The part of its text that matched, with its surroundings.")
        }
    }

    /// What was found.
    package struct Result: ControlValue {
        package var hits: [Hit] = []
        package var more = false
        package var complete = true
        package var unread: Timestamp?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("hits", &self.hits, .any, "The messages, in the requested order.")
            visitor.field("more", &self.more, .any, "Whether there are more.")
            visitor.field(
                "complete", &self.complete, .any,
                "False if some may be missing: messages are still being indexed, or the time ran out."
            )
            visitor.field(
                "unread", &self.unread, .any,
                "Direct and secret messages before this time were not searched, because the time ran out; search until this time to go on."
            )
        }
    }
}
