internal import ControlAPI
internal import Engine
internal import Formats

/// Why the node did not do what it was asked for: which error each refusal is, and the errors below.
extension RPCError {
    /// - Parameters:
    ///   - sent: describes a message that is on disk all the same.
    ///   - number: how many were to have that message, where a number was asked for.
    ///   - name: what people are called.
    init(
        _ error: RequestError,
        sent: (SentMessage, [PeerID]) -> SendMethod.Result = {
            SendMethod.Result($0, deliveredTo: $1)
        },
        number: (SentMessage) -> SendMethod.UnmetNumber? = { _ in nil },
        name: (PeerID) -> String = { _ in "" }
    ) {
        func text(_ peer: PeerID) -> String { Self.text(of: peer, name(peer)) }
        self =
            switch error {
            case .unknownConversation: .unknownConversation
            case .notMember: .notMember()
            case .size(let limit): .textSize(limit)
            case .packetSize(let bytes, let limit): .packetSize(bytes, limit)
            case .misleadingName: .misleadingName
            case .tooManyPeople: .tooManyPeople
            case .notInRealm: .notInRealm
            case .tooManyRooms: .tooManyRooms
            case .keysUnknown(let peer): .keysUnknown(text(peer))
            case .codesDiffer(let peer): .codesDiffer(text(peer))
            case .blocked(let peer): .blocked(text(peer))
            case .noRequest(let peer): .noRequest(text(peer))
            case .directStays: .directStays
            case .cannotSeal: .cannotSeal
            case .group(.notMember): .notInGroup
            case .refusedAct(let reason): RPCError(reason)
            case .group(.waitsForActs): .waitsForActs
            case .link(let obstacle): RPCError(obstacle)
            case .tooManyLinks: .tooManyLinks
            case .tooManyJoins: .tooManyJoins
            case .notConnected(let failure): .notConnected(failure)
            case .tooManyTargets: .tooManyTargets
            case .tooFast(let milliseconds): .tooFast(milliseconds)
            case .unknownStream: .unknownStream
            case .tooManyStreams: .tooManyStreams
            case .notLinked(let peer): .notLinked(text(peer))
            case .callInOpenRoom: .callInOpenRoom
            case .device(let failure): RPCError(failure)
            case .keyReused: .keyReused()
            case .busy: .busy("too many messages are waiting for the disk")
            case .storage(let failure): RPCError(failure)
            case .deliveryTimeout(let message, let isRead, let peers, let waiting):
                .deliveryTimeout(
                    sent(message, peers), isRead: isRead,
                    waitingFor: waiting.map { ($0.description, TerminalText.line(name($0))) },
                    number: number(message))
            case .nobodyKnown: .nobodyKnown
            case .notInRoom(let peers): .notInRoom(peers.map { Self.listed($0, name($0)) })
            case .held(let held):
                .held(
                    sent(held.message, held.deliveredTo),
                    by: held.heldBy.map(\.description), until: Timestamp(clamping: held.until),
                    untilText: UTCTime.text(held.until), ahead: held.ahead,
                    isOwnClockAhead: held.isOwnClockAhead)
            }
    }

    /// Why the store did not.
    init(_ failure: StoreFailure) {
        self = .storageFailed(failure.detail, remedy: failure.remedy)
    }

    private static func text(of peer: PeerID, _ name: String) -> String {
        name.isEmpty ? "@\(peer.description.prefix(8))" : "@\(TerminalText.line(name))"
    }

    private static func listed(_ peer: PeerID, _ name: String) -> String {
        name.isEmpty ? "@\(peer.description.prefix(8))" : TerminalText.line(name)
    }
}

// MARK: Rooms

extension RPCError {
    fileprivate static var unknownConversation: RPCError {
        .notFound(
            "there is no such conversation", reason: "unknownConversation",
            remedy: "join the room first: stoa join ROOM")
    }

    fileprivate static var notInRealm: RPCError {
        .refused(
            "you are not in this room's realm", reason: "notInRealm",
            remedy: "join the realm again: stoa realm join FILE; see stoa realm list")
    }

    fileprivate static var tooManyRooms: RPCError {
        .refused(
            "you are in \(Limits.conversations) rooms already", reason: "tooManyRooms",
            remedy: "leave one first")
    }

    fileprivate static var directStays: RPCError {
        .refused(
            "a conversation with one person cannot be left", reason: "directStays",
            remedy: "remove the contact: stoa people remove @PERSON")
    }

    fileprivate static var cannotSeal: RPCError {
        .refused(
            "this machine cannot do AES-256-GCM, which seals that room",
            reason: "cannotSeal",
            remedy: "use a machine whose processor has AES, or make a room without --suite")
    }

    fileprivate static var notInGroup: RPCError {
        RPCError(
            .notMember, "you are not a member of this group", reason: "notInGroup",
            remedy: "ask one of its admins to invite you: stoa group invite GROUP @YOU")
    }

    fileprivate static var waitsForActs: RPCError {
        .refused(
            "it is not known yet who is in this group", reason: "waitsForActs",
            remedy: "wait until a member is linked: stoa status")
    }

    fileprivate static var nobodyKnown: RPCError {
        .refused(
            "you have no contacts in this room, so \"all\" means nobody",
            reason: "nobodyKnown",
            remedy: "add contacts: stoa people add @PERSON; or use --members any")
    }

    fileprivate static func notInRoom(_ people: [String]) -> RPCError {
        .refused(
            "not in this room: " + people.joined(separator: ", "), reason: "notInRoom",
            remedy: "see its members: stoa members ROOM")
    }
}

// MARK: People

extension RPCError {
    fileprivate static var misleadingName: RPCError {
        .refused(
            "the name could be taken for a key, for a mark of Stoa, or for no name",
            reason: "misleadingName",
            remedy: "use a name that people can read, without @")
    }

    fileprivate static var tooManyPeople: RPCError {
        .refused(
            "you have \(Limits.people) contacts already", reason: "tooManyPeople",
            remedy: "remove some first: stoa people remove @PERSON")
    }

    fileprivate static func keysUnknown(_ person: String) -> RPCError {
        .refused(
            "the keys of \(person) have not come here yet",
            reason: "keysUnknown",
            remedy: "link to them once (stoa connect HOST:PORT), or join a room they are in")
    }

    fileprivate static func codesDiffer(_ person: String) -> RPCError {
        .refused(
            "that is not the code of you and \(person)",
            reason: "codesDiffer",
            remedy: "check for typing mistakes; if there are none, one of you has the wrong "
                + "keys: compare in person, and do not trust earlier messages")
    }

    fileprivate static func blocked(_ person: String) -> RPCError {
        .refused(
            "you have blocked \(person)", reason: "blocked",
            remedy: "unblock them first: stoa unblock @PERSON")
    }

    fileprivate static func noRequest(_ person: String) -> RPCError {
        .refused(
            "\(person) does not wait to be accepted",
            reason: "noRequest", remedy: "see the people who are: stoa requests")
    }
}

// MARK: Links

extension RPCError {
    fileprivate static func notConnected(_ failure: DialFailure) -> RPCError {
        .refused(
            "there is no link: \(failure.detail)", reason: failure.reason.rawValue,
            remedy: Self.remedy(of: failure))
    }

    /// What to do about a dial that has failed.
    private static func remedy(of failure: DialFailure) -> String {
        switch failure.reason {
        case .ownAddress: "give the address of another daemon"
        case .wrongRealm: "join the same realm on both sides"
        case .wrongKey: "give the key that stoa status shows there (not the person)"
        case .refused, .noRoute, .otherNetwork, .timedOut, .rejected, .failed:
            "the daemon keeps dialling; see stoa peers"
        }
    }

    fileprivate static var tooManyTargets: RPCError {
        .refused(
            "\(Limits.targets) addresses are being dialled already",
            reason: "tooManyTargets",
            remedy: "restart the daemon to drop those that connect added")
    }
}

// MARK: Messages and streams

extension RPCError {
    fileprivate static func textSize(_ limit: Int) -> RPCError {
        RPCError(
            .tooLarge, "the text is empty or has more than \(limit) bytes",
            reason: "tooLarge", remedy: "use 1 to \(limit) bytes",
            details: [JSON.Member("limit", .integer(Int64(limit)))])
    }

    fileprivate static func packetSize(_ bytes: Int, _ limit: Int) -> RPCError {
        .tooLarge(
            "the packet", bytes: bytes, limit: limit,
            remedy: "send 1 to \(limit) bytes in each")
    }

    fileprivate static func tooFast(_ milliseconds: UInt64) -> RPCError {
        RPCError(
            .busy,
            "the streams of this conversation have used up their rate, or the next key of the group is "
                + "being made",
            reason: "tooFast", remedy: "send it again in \(milliseconds) ms",
            details: [
                JSON.Member("retryMilliseconds", .integer(Int64(clamping: milliseconds)))
            ])
    }

    fileprivate static var callInOpenRoom: RPCError {
        .refused(
            "there are no calls in rooms that everyone may join", reason: "openRoom",
            remedy: "call one person, or make a secret room for the call")
    }

    fileprivate static var unknownStream: RPCError {
        .notFound(
            "there is no such stream", reason: "unknownStream",
            remedy: "open it again: openStream")
    }

    fileprivate static var tooManyStreams: RPCError {
        .refused(
            "\(Limits.openStreams) streams are open already", reason: "tooManyStreams",
            remedy: "close one first")
    }

    fileprivate static func notLinked(_ person: String) -> RPCError {
        .refused(
            "there is no direct link to \(person), and packets for one member go over no other",
            reason: "notLinked",
            remedy:
                "wait until stoa peers shows a link, or send a durable stream: stoa stream send \(person) NAME"
        )
    }
}
