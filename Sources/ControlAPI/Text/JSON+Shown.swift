extension JSON {
    /// A member's string, safe to print on one line; empty when there is none.
    public func shown(_ name: String) -> String { TerminalText.line(self[name]?.stringValue ?? "") }

    /// How reachable somebody is; a stroke where they do not tell.
    public var shownPresence: String { self["presence"] == nil ? "-" : self.shown("presence") }

    /// A member's integer; zero when there is none.
    public func count(_ name: String) -> Int64 { self[name]?.integerValue ?? 0 }

    /// A member's list; empty when there is none.
    public func list(_ name: String) -> [JSON] { self[name]?.arrayValue ?? [] }

    /// A member's strings in one line, with commas.
    public func joined(_ name: String) -> String {
        self.list(name).compactMap { $0.stringValue.map(TerminalText.line) }
            .joined(separator: ", ")
    }

    /// How somebody is called in a line: the name, with the beginning of the key where it could be taken
    /// for another; the key alone where there is no name; then ✓ where the user has compared keys.
    public func shownPerson(_ name: String = "name", key: String = "id") -> String {
        let shown = self.shown(name)
        let mark = self.isVerified ? " ✓" : ""
        if shown.isEmpty { return self.shortKey(key) + mark }
        return (self["ambiguous"] == .bool(true) ? shown + self.shortKey(key) : shown) + mark
    }

    /// Whether the user has compared keys with somebody.
    private var isVerified: Bool {
        self["verified"] == .bool(true) || self["tier"] == .string(TierWord.verified.rawValue)
    }

    /// A member's identity in the short form that commands take: `@` and 12 characters.
    public func shortKey(_ name: String = "id") -> String { "@" + self.shown(name).prefix(12) }
}
