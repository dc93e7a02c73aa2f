internal import ControlAPI
internal import Engine

/// Whom and what the words of clients name.
extension NodeShell {
    /// The conversation that a room name or a full id means.
    func conversation(_ text: String) throws(RPCError) -> ConversationID {
        if text.hasPrefix("@") {
            _ = try self.person(text)
            throw .refused(
                "this version has no messages to one person", reason: "noDirect",
                remedy: "join a room together: stoa join ROOM")
        }
        do throws(NameError) {
            let found = try self.node?.ask { (node) throws(NameError) in
                try node.conversation(named: text)
            }
            if let found { return found }
        } catch { throw self.rpcError(error, kind: "conversation") }
        throw .shuttingDown()
    }

    /// The person that `@` and a name or the beginning of a key means.
    func person(_ text: String) throws(RPCError) -> PeerID {
        do throws(NameError) {
            let found = try self.node?.ask { (node) throws(NameError) in
                try node.person(named: text)
            }
            if let found { return found }
        } catch { throw self.rpcError(error, kind: "person") }
        throw .shuttingDown()
    }

    private func rpcError(_ error: NameError, kind: String) -> RPCError {
        switch error {
        case .notFound(let text):
            .notFound(
                "there is no \(kind) \"\(TerminalText.line(text))\"", reason: "unknownName",
                remedy: self.nearestName(to: text, kind: kind))
        case .ambiguous(let text, let candidates):
            .ambiguous(
                text,
                candidates: candidates.map { ($0.description, self.name(of: $0)) })
        case .malformed(let text):
            .invalidParams(
                "\"\(TerminalText.line(text))\" cannot be the name of a \(kind)",
                reason: "badName",
                remedy: "a room is a bare word, a person @name, an id has 52 characters")
        case .tooShort(let text):
            .invalidParams(
                "\"\(TerminalText.line(text))\" is too short for a key", reason: "shortKey",
                remedy: "give 8 or more characters of the key")
        }
    }

    /// What to do about a name that nobody and nothing bears.
    private func nearestName(to text: String, kind: String) -> String {
        let isPerson = kind == "person"
        let names =
            isPerson
            ? (self.node?.peers ?? []).map(\.profile.name) + [self.ownProfile().name]
            : (self.node?.rooms ?? []).map(\.name.text)
        let word = isPerson && text.hasPrefix("@") ? String(text.dropFirst()) : text
        guard let nearest = NearestName.find(word, among: names) else {
            return isPerson ? "see stoa peers" : "see stoa rooms, or join it: stoa join ROOM"
        }
        return "did you mean \"\(isPerson ? "@" : "")\(TerminalText.line(nearest))\"?"
    }

    func name(of conversation: ConversationID) -> String {
        self.node?.ask { $0.name(of: conversation)?.text } ?? ""
    }

    func name(of peer: PeerID) -> String { self.node?.ask { $0.profile(of: peer).name } ?? "" }
}
