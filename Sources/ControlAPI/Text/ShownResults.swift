extension String {
    /// Safe to print on one line, see ``TerminalText/line(_:)``.
    package var shown: String { TerminalText.line(self) }

    /// An identity in the short form that commands take: `@` and 12 characters.
    package var shortKey: String { "@" + self.shown.prefix(12) }

    /// A conversation's name as it is shown: a room by its name, two people by the other one's.
    package var shownConversation: String { ShownPerson.conversation(self) }
}

extension String? {
    /// Safe to print on one line; empty where there is nothing.
    package var shown: String { self?.shown ?? "" }
}

extension [String] {
    /// All in one line, with commas.
    package var shown: String { self.map(\.shown).joined(separator: ", ") }
}

extension ShownPerson {
    /// How a conversation is called; of two people by the other one, of whom the key may be known.
    static func conversation(_ name: String, with person: String? = nil) -> String {
        guard name.hasPrefix("@") else { return Self.safe(name) }
        return Self.other(name, person).conversation()
    }

    /// The other one of two people who talk, by the name of their conversation.
    fileprivate static func other(_ name: String, _ person: String?) -> ShownPerson {
        ShownPerson(name: String(name.dropFirst()), id: person ?? "")
    }
}

/// A result that says who somebody is, and how they are shown.
package protocol PersonFields {
    var name: String { get }
    var shown: ShownPerson { get }
}

extension PersonFields {
    /// The name in a column of its own, with nothing in it that ends a name on a screen.
    package var shownName: String { ShownPerson.safe(self.name) }
}

extension PersonResult: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(
            name: self.name, id: self.id, isAmbiguous: self.ambiguous == true,
            isVerified: self.tier == .verified)
    }

    package var shownPresence: String { self.presence.shown }
}

extension MembersMethod.Member: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(
            name: self.name, id: self.id, isAmbiguous: self.ambiguous == true,
            isVerified: self.tier == .verified)
    }

    package var shownPresence: String { self.presence.shown }
}

extension PeersMethod.Peer: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(
            name: self.name, id: self.id, isAmbiguous: self.ambiguous == true,
            isVerified: self.verified || self.tier == .verified)
    }

    package var shownPresence: String { self.presence.shown }
}

extension WhoisMethod.Result: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(
            name: self.name, id: self.id, isAmbiguous: self.ambiguous == true,
            isVerified: self.verified || self.tier == .verified)
    }
}

extension InfoMethod.Member: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(name: self.name, id: self.id, isAmbiguous: self.ambiguous == true)
    }
}

extension RequestsMethod.Request: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(name: self.name, id: self.person, isAmbiguous: self.ambiguous == true)
    }
}

extension PresenceEvent: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(name: self.name, id: self.peer, isAmbiguous: self.ambiguous == true)
    }
}

extension TypingEvent: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(name: self.name, id: self.peer, isAmbiguous: self.ambiguous == true)
    }
}

extension PresenceWord? {
    /// A stroke where they do not tell.
    fileprivate var shown: String { self?.rawValue ?? "-" }
}

// MARK: What is written, and by whom

extension MessageResult {
    package var shownAuthor: ShownPerson {
        ShownPerson(
            name: self.authorName, id: self.author, isAmbiguous: self.ambiguous == true,
            isVerified: self.verified == true)
    }
}

extension MessageResult.Answered {
    package var shownAuthor: ShownPerson { ShownPerson(name: self.authorName, id: self.author) }
}

extension MissingResult {
    package var shownAuthor: ShownPerson { ShownPerson(name: self.authorName, id: self.author) }
}

extension ClockMethod.Log {
    package var shownAuthor: ShownPerson { ShownPerson(name: self.authorName, id: self.author) }
}

extension ClockMethod.Named: PersonFields {
    package var shown: ShownPerson {
        ShownPerson(name: self.name, id: self.id, isAmbiguous: self.ambiguous == true)
    }
}

extension InfoMethod.Followed {
    /// `ada 12`; nil where the entry is not here.
    package var place: String? {
        guard let author = self.author, let number = self.number else { return nil }
        return ShownPerson(name: self.authorName ?? "", id: author).quoted + " \(number)"
    }
}

extension InfoMethod.Disputed {
    package var shownAuthor: ShownPerson { ShownPerson(name: self.authorName, id: self.author) }
}

extension ChangeResult {
    package var shownPeer: ShownPerson {
        ShownPerson(name: self.peerName ?? "", id: self.peer ?? "")
    }
}

extension StreamEvent {
    package var shownPeer: ShownPerson { ShownPerson(name: self.peerName, id: self.peer) }
}

extension StreamPieceEvent {
    package var shownPeer: ShownPerson { ShownPerson(name: self.peerName, id: self.peer) }
}

extension ConversationResult {
    /// How it is called.
    package var shownName: String { ShownPerson.conversation(self.name, with: self.person) }

    /// The other one of two people who talk.
    package var other: ShownPerson { ShownPerson.other(self.name, self.person) }
}
