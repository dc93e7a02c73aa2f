/// What a chat or a page has stored of what the daemon does not have, taken apart.
package struct KeptTexts: Equatable, Sendable {
    /// How the names begin under which a page keeps drafts; what is under others is no text.
    package static let draftName = "draft:"

    /// What was typed or entered, in its order.
    package private(set) var texts: [String] = []
    /// What is left without it; nil where nothing is.
    package private(set) var rest: [UInt8]?

    package init(_ stored: [UInt8]) {
        guard let json = try? JSON(parsing: stored, byteLimit: stored.count) else { return }
        let lines = json["lines"]?.arrayValue ?? []
        let drafts = json["drafts"]?.arrayValue ?? []
        let notes = json["notes"]?.arrayValue ?? []
        let isDraft = { (note: JSON) in
            note["name"]?.stringValue?.hasPrefix(Self.draftName) == true
        }
        self.texts =
            lines.compactMap { ($0["params"] ?? $0)["text"]?.stringValue }
            + drafts.compactMap { $0["text"]?.stringValue }
            + notes.filter(isDraft).compactMap { note in
                let draft = note["text"]?.stringValue.flatMap { try? JSON(parsing: Array($0.utf8)) }
                return draft?["text"]?.stringValue
            }
        self.texts.removeAll(where: \.isEmpty)
        let others = notes.filter { !isDraft($0) }
        if !others.isEmpty {
            self.rest = JSON.members(["lines": .array([]), "notes": .array(others)]).bytes
        }
    }
}
