package import ControlAPI

/// Something that the page keeps under a name, in a form of its own.
package struct PageNote: ControlValue {
    package var name = ""
    package var text = ""

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("name", &self.name, .any, "")
        visitor.field("text", &self.text, .any, "")
    }
}

/// What pages keep for the next one: drafts by conversation, and settings.
///
/// By name, so that two pages in which somebody types do not lose each other's text.
package struct PageNotes: Equatable, Sendable {
    /// In the order in which they were first kept.
    package private(set) var notes: [PageNote] = []

    package init() {}

    package init(_ notes: [PageNote]) {
        for note in notes { _ = self.keep(note.name, note.text) }
    }

    /// Without what the user has typed.
    package var withoutDrafts: PageNotes {
        PageNotes(self.notes.filter { !$0.name.hasPrefix(KeptTexts.draftName) })
    }

    /// Keeps a text, or forgets the name where it is empty.
    ///
    /// Returns why it is refused.
    package mutating func keep(_ name: String, _ text: String) -> RPCError? {
        let place = self.notes.firstIndex { $0.name == name }
        guard !text.isEmpty else {
            if let place { self.notes.remove(at: place) }
            return nil
        }
        let others = self.notes.filter { $0.name != name }
        let bytes = others.reduce(name.utf8.count + text.utf8.count) {
            $0 + $1.name.utf8.count + $1.text.utf8.count
        }
        guard bytes <= WebLimits.keptBytes, others.count < WebLimits.notes else {
            return .tooLarge(
                "what the page keeps", bytes: bytes, limit: WebLimits.keptBytes,
                remedy: "send or delete some of the drafts")
        }
        if let place {
            self.notes[place].text = text
        } else {
            self.notes.append(
                PageNote {
                    $0.name = name
                    $0.text = text
                })
        }
        return nil
    }
}
