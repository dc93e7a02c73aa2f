extension JSON {
    /// A member's string, safe to print on one line; empty when there is none.
    package func shown(_ name: String) -> String {
        TerminalText.line(self[name]?.stringValue ?? "")
    }

    /// How reachable somebody is; a stroke where they do not tell.
    package var shownPresence: String { self["presence"] == nil ? "-" : self.shown("presence") }

    /// A member's integer; zero when there is none.
    package func count(_ name: String) -> Int64 { self[name]?.integerValue ?? 0 }

    /// A member's list; empty when there is none.
    package func list(_ name: String) -> [JSON] { self[name]?.arrayValue ?? [] }

    /// A member's strings in one line, with commas.
    package func joined(_ name: String) -> String {
        self.list(name).compactMap { $0.stringValue.map(TerminalText.line) }
            .joined(separator: ", ")
    }

    /// Somebody as they are shown, by the members that say who it is.
    package func person(_ name: String = "name", key: String = "id") -> ShownPerson {
        ShownPerson(
            name: self[name]?.stringValue ?? "", id: self[key]?.stringValue ?? "",
            isAmbiguous: self["ambiguous"] == .bool(true), isVerified: self.isVerified)
    }

    /// How somebody is called before a colon or in a column, see ``ShownPerson``.
    package func shownPerson(_ name: String = "name", key: String = "id") -> String {
        self.person(name, key: key).text
    }

    /// How somebody is called among words and in lists, see ``ShownPerson/quoted``.
    package func quotedPerson(_ name: String = "name", key: String = "id") -> String {
        self.person(name, key: key).quoted
    }

    /// A person's name in a column of its own, with nothing in it that ends a name on a screen.
    package func shownName(_ name: String = "name") -> String {
        ShownPerson.safe(self[name]?.stringValue ?? "")
    }

    /// How a conversation is called: a room by its name, two people by the other one's, as ``ShownPerson``
    /// shows it.
    package func shownConversation(_ name: String = "name", person: String = "person") -> String {
        let text = self[name]?.stringValue ?? ""
        guard text.hasPrefix("@") else { return ShownPerson.safe(text) }
        return self.direct(name, person: person).conversation()
    }

    /// The other one of two people who talk, as they are shown.
    package func direct(_ name: String = "name", person: String = "person") -> ShownPerson {
        ShownPerson(
            name: String((self[name]?.stringValue ?? "").dropFirst()),
            id: self[person]?.stringValue ?? "")
    }

    /// Whether the user has compared keys with somebody.
    private var isVerified: Bool {
        self["verified"] == .bool(true) || self["tier"] == .string(TierWord.verified.rawValue)
    }

    /// A member's identity in the short form that commands take: `@` and 12 characters.
    package func shortKey(_ name: String = "id") -> String { "@" + self.shown(name).prefix(12) }
}
