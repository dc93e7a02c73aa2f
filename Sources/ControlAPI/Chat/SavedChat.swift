/// What was typed into a chat and others do not have, as it outlives the chat.
///
/// Lines that were entered go out once, whichever chat sends them: each keeps its key. Drafts come back into
/// the line where they were typed and are never sent by themselves.
package struct SavedChat: Equatable, Sendable {
    /// A text that was entered and that the daemon has not taken.
    package struct Line: Equatable, Sendable {
        /// Whose it is, by the device; empty where that was not known.
        package var person: String
        /// The conversation, by its id or as it was written.
        package var to: String
        /// What is sent.
        package var text: String
        /// Whether it says what somebody does.
        package var isAction: Bool
        /// The message that it answers.
        package var replyTo: String?
        /// The key under which it is sent once.
        package var key: String

        package init(
            person: String = "", to: String, text: String, isAction: Bool = false,
            replyTo: String? = nil, key: String
        ) {
            (self.person, self.to, self.text, self.isAction) = (person, to, text, isAction)
            (self.replyTo, self.key) = (replyTo, key)
        }
    }

    /// A text that was not entered.
    package struct Draft: Equatable, Sendable {
        /// Whose it is, by the device; empty where that was not known.
        package var person: String
        /// The conversation's id; empty where none was there yet.
        package var conversation: String
        /// What was typed.
        package var text: String
        /// The message that it answers.
        package var replyTo: String?
        /// The message whose text it is to be.
        package var editing: String?

        package init(
            person: String = "", conversation: String, text: String, replyTo: String? = nil,
            editing: String? = nil
        ) {
            self.person = person
            (self.conversation, self.text) = (conversation, text)
            (self.replyTo, self.editing) = (replyTo, editing)
        }
    }

    /// What was entered, oldest first.
    package var lines: [Line] = []
    /// What was not.
    package var drafts: [Draft] = []

    package init() {}

    /// Whether there is nothing to keep.
    package var isEmpty: Bool { self.lines.isEmpty && self.drafts.isEmpty }

    /// As it is stored.
    package var bytes: [UInt8] {
        let json: JSON = .members([
            "lines": .array(
                self.lines.map {
                    .members([
                        "person": .string($0.person), "to": .string($0.to),
                        "text": .string($0.text),
                        "action": $0.isAction ? true : nil,
                        "replyTo": $0.replyTo.map { .string($0) }, "key": .string($0.key),
                    ])
                }),
            "drafts": .array(
                self.drafts.map {
                    .members([
                        "person": .string($0.person),
                        "conversation": .string($0.conversation), "text": .string($0.text),
                        "replyTo": $0.replyTo.map { .string($0) },
                        "editing": $0.editing.map { .string($0) },
                    ])
                }),
        ])
        return Array(json.text.utf8)
    }

    /// Reads what was stored; nil where it is something else.
    package init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), json["lines"] != nil else { return nil }
        self.lines = (json["lines"]?.arrayValue ?? []).compactMap {
            guard let to = $0["to"]?.stringValue, let text = $0["text"]?.stringValue,
                let key = $0["key"]?.stringValue
            else { return nil }
            return Line(
                person: $0["person"]?.stringValue ?? "", to: to, text: text,
                isAction: $0["action"] == .bool(true),
                replyTo: $0["replyTo"]?.stringValue, key: key)
        }
        self.drafts = (json["drafts"]?.arrayValue ?? []).compactMap {
            guard let text = $0["text"]?.stringValue else { return nil }
            return Draft(
                person: $0["person"]?.stringValue ?? "",
                conversation: $0["conversation"]?.stringValue ?? "", text: text,
                replyTo: $0["replyTo"]?.stringValue, editing: $0["editing"]?.stringValue)
        }
    }
}
