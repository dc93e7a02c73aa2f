internal import ControlAPI
internal import Engine
internal import Formats

/// Whom and what the words of clients name.
extension NodeShell {
    /// The conversation that a room name, `@` and a person's name, or a full id means.
    func conversation(_ text: String) throws(RPCError) -> ConversationID {
        if text.hasPrefix("@") {
            let peer = try self.person(text, for: .reach)
            if let id = self.node.ask({ $0.begunDirect(with: peer) }) { return id }
            throw .notFound(
                "you and \"\(TerminalText.line(text))\" have not written to each other",
                reason: "unknownConversation",
                remedy: "write first: stoa send \(TerminalText.word(text)) TEXT")
        }
        do throws(NameError) {
            return try self.node.ask { (node) throws(NameError) in
                try node.conversation(named: text)
            }
        } catch {
            if case .notFound(let text) = error, self.isAnnounced(text) {
                throw .notMember(of: text)
            }
            throw self.rpcError(error, kind: "conversation")
        }
    }

    /// Whether a word is the name of an open room that others are in.
    private func isAnnounced(_ text: String) -> Bool {
        self.node.ask { node in
            guard let room = try? node.realms.room(typed: text) else { return false }
            return node.rooms[room.conversation] != nil
        }
    }

    /// The room that a person typed: `ops`, or `office/ops` of another realm than the default one.
    ///
    /// One that is to be entered as an open room must not be meant for a secret one.
    func room(typed text: String, toJoin: Bool = false) throws(RPCError) -> Room {
        do throws(NameError) {
            return try self.node.ask { (node) throws(NameError) in
                toJoin ? try node.roomToJoin(named: text) : try node.realms.room(typed: text)
            }
        } catch .malformed(let text) {
            throw .invalidParams(
                "\"\(TerminalText.line(text))\" cannot be the name of a room",
                reason: "badRoomName",
                remedy:
                    "use letters, digits and - _ . inside it, at most \(Limits.nameCharacters) characters; "
                    + "a realm's name and / may come before it",
                details: [JSON.Member("param", "room")])
        } catch { throw self.rpcError(error, kind: "conversation") }
    }

    /// The person that `@` and a name or the beginning of a key means.
    func person(_ text: String, for purpose: NamePurpose) throws(RPCError) -> PeerID {
        do throws(NameError) {
            return try self.node.ask { (node) throws(NameError) in
                try node.person(named: text, for: purpose)
            }
        } catch { throw self.rpcError(error, kind: "person", for: purpose) }
    }

    /// Everybody whom a name or the beginning of a key may mean, at least one.
    func people(_ text: String) throws(RPCError) -> [PeerID] {
        do throws(NameError) {
            return try self.node.ask { (node) throws(NameError) in
                try node.people(named: text)
            }
        } catch { throw self.rpcError(error, kind: "person") }
    }

    func rpcError(
        _ error: NameError, kind: String, for purpose: NamePurpose = .look
    ) -> RPCError {
        switch error {
        case .notFound(let text) where purpose == .waiting:
            .notFound(
                "nobody called \"\(TerminalText.line(text))\" is waiting to be accepted",
                reason: "unknownName", remedy: "see who is: stoa requests")
        case .notFound(let text) where purpose == .blocked:
            .notFound(
                "nobody called \"\(TerminalText.line(text))\" is blocked",
                reason: "unknownName", remedy: "see who is: stoa people")
        case .notFound(let text):
            .notFound(
                "there is no \(kind) \"\(TerminalText.line(text))\"", reason: "unknownName",
                remedy: self.nearestName(to: text, kind: kind))
        case .ambiguous(let text, let candidates):
            .ambiguous(text, matches: candidates.count, candidates: self.shown(candidates))
        case .stranger(let text, let candidates):
            .stranger(text, matches: candidates.count, candidates: self.shown(candidates))
        case .own(let text):
            .notFound(
                "\"\(TerminalText.line(text))\" is your own name, and nobody else's here",
                reason: "ownName", remedy: "for notes to yourself use @me")
        case .malformed(let text):
            .invalidParams(
                "\"\(TerminalText.line(text))\" cannot be the name of a \(kind)",
                reason: "badName",
                remedy: "a room is a bare word or REALM/ROOM, a person @name, an id has 52 "
                    + "characters")
        case .severalRooms(let text, let rooms):
            RPCError(
                .ambiguous, "\"\(TerminalText.line(text))\" means \(rooms.count) conversations",
                reason: "severalRooms",
                remedy: "write one of: "
                    + rooms.map { Self.written($0, among: rooms) }.joined(separator: " or "),
                details: [
                    JSON.Member(
                        "candidates",
                        .array(
                            rooms.map { room in
                                .object([
                                    JSON.Member("id", .string(room.id.description)),
                                    JSON.Member("name", .string(room.name)),
                                ])
                            }))
                ])
        case .unknownRealm(let text):
            .notFound(
                "there is no realm \"\(TerminalText.line(text))\" here", reason: "unknownRealm",
                remedy: "see stoa realm list, or join it: stoa realm join FILE")
        case .tooShort(let text):
            .invalidParams(
                "\"\(TerminalText.line(text))\" is too short for a key", reason: "shortKey",
                remedy: "give at least 8 characters of the key")
        }
    }

    /// Some of those whom a name may mean, with their names.
    private func shown(_ candidates: [PeerID]) -> [(id: String, name: String)] {
        candidates.prefix(ControlLimits.candidates).map { ($0.description, self.name(of: $0)) }
    }

    /// What to write for one of several rooms: its id where another one has its name, too.
    private static func written(
        _ room: NamedConversation, among rooms: [NamedConversation]
    ) -> String {
        let isAlone = rooms.count { $0.name == room.name } == 1
        return isAlone ? TerminalText.word(room.name) : room.id.description
    }

    /// What to do about a name that nobody and nothing bears.
    private func nearestName(to text: String, kind: String) -> String {
        let isPerson = kind == "person"
        if !isPerson, (try? self.person(text, for: .reach)) != nil {
            return "write @ before a person's name: @\(TerminalText.line(text))"
        }
        if !isPerson, text.hasPrefix("+") {
            return "an invitation brings you into a group; see yours: stoa requests"
        }
        let names =
            isPerson
            ? self.node.ask { $0.names } + [self.ownProfile().name]
            : self.node.ask { node in node.rooms.values.map { node.realms.text(of: $0) } }
        // The same name in another realm is what was meant, or near enough.
        if !isPerson, let other = names.first(where: { $0.hasSuffix("/\(text)") }) {
            return "did you mean \"\(TerminalText.line(other))\"?"
        }
        let word = isPerson && text.hasPrefix("@") ? String(text.dropFirst()) : text
        guard let nearest = NearestName.find(word, among: names) else {
            return isPerson
                ? "you see only the names of people who share a room or a realm with you: join one that "
                    + "they are in, or write @ and their key; see stoa peers"
                : "see stoa rooms, or join it: stoa join ROOM"
        }
        return "did you mean \"\(isPerson ? "@" : "")\(TerminalText.line(nearest))\"?"
    }

    /// For something that only those who are in a conversation may do.
    func notMember(of conversation: ConversationID) -> RPCError {
        RPCError(self.node.ask { $0.notMember(in: conversation) })
    }

    func name(of conversation: ConversationID) -> String {
        self.node.ask { $0.name(of: conversation) } ?? ""
    }

    func name(of peer: PeerID) -> String { self.node.ask { $0.profile(of: peer).name } }
}
