import Crypto

@testable import Engine

/// The first bytes of a link, to the side that was dialled and, as an answer, to the one that dialled.
enum PrefaceTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        if let preface = Preface(bytes) {
            // The two bytes of flags are ignored when read.
            try demand(preface.encoded.prefix(10) == bytes.prefix(10), "a second form is taken")
        }
        let first = Preface(Array(bytes.prefix(Preface.byteCount)))
        try Self.answer(bytes, first)
        try Self.choice(bytes)
        return first == nil ? .refused : .accepted
    }

    /// The side that was dialled.
    private static func answer(_ bytes: [UInt8], _ preface: Preface?) throws {
        let (failure, output) = try Self.result(of: bytes) {
            Session(responder: Keys.responder, static: $0)
        }
        guard bytes.count >= Preface.byteCount else {
            return try demand(failure == nil && output.isEmpty, "a part was judged")
        }
        guard let preface else {
            return try demand(failure == .notStoa && output.isEmpty, "another magic is answered")
        }
        if preface.lowest <= 1 && preface.highest >= 1 {
            try demand(output.first == 1, "version 1 is not chosen")
        } else {
            let due = SessionFailure.version(lowest: preface.lowest, highest: preface.highest)
            try demand(failure == due && output == [0, 1, 1], "no range is told")
        }
    }

    /// The side that dialled.
    private static func choice(_ bytes: [UInt8]) throws {
        let (failure, _) = try Self.result(of: bytes) {
            Session(initiator: Keys.initiator, static: $0, expecting: nil, dial: 7)
        }
        switch bytes.first {
        case nil, 1: break
        case 0 where bytes.count < 3:
            try demand(failure == nil, "a part of a refusal was judged")
        case 0:
            try demand(
                failure == .version(lowest: bytes[1], highest: bytes[2]), "a refusal is not taken")
        default: try demand(failure == .notStoa, "a version is taken that was not offered")
        }
    }

    /// What a fresh session makes of the bytes; the same, however they are cut.
    private static func result(
        of bytes: [UInt8], _ make: (borrowing KeyPair) -> Session
    ) throws -> (failure: SessionFailure?, output: [UInt8]) {
        var results: [(failure: SessionFailure?, output: [UInt8])] = []
        for portion in [max(1, bytes.count), 1] {
            let key = Keys.pair(0x31)
            var session = make(key)
            let opening = session.output(limit: .max)
            try demand(opening.isEmpty || opening.count == 12 + 2 + 32, "an opening is cut")
            var failures: [SessionFailure] = []
            for start in stride(from: 0, to: bytes.count, by: portion) {
                let part = bytes[start..<min(start + portion, bytes.count)]
                for case .failed(let failure) in session.receive(part) { failures.append(failure) }
            }
            try demand(failures.count <= 1, "a session fails twice")
            results.append((failures.first, session.output(limit: .max)))
        }
        // What follows the version is encrypted with fresh keys.
        try demand(
            results[0].failure == results[1].failure
                && results[0].output.prefix(3) == results[1].output.prefix(3)
                || results[0].output.count > 3 && results[0].output.first == 1,
            "the bytes mean something else when they are cut")
        return results[0]
    }
}

/// The three handshake messages and one after them, each changed on its way or made up.
///
/// Whoever changes anything ends the handshake.
enum NoiseTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        switch feed.byte() {
        case 0: return try Self.first(&feed)
        case 1: return try Self.second(&feed)
        case 2: return try Self.third(&feed)
        case 3: return try Self.transport(&feed)
        case 4: return try Self.madeUp(feed.remainder(), by: .initiator)
        default: return try Self.madeUp(feed.remainder(), by: .responder)
        }
    }

    /// Message 1 is in clear: its reader cannot tell, but the answer fits no other message.
    private static func first(_ feed: inout Feed) throws -> Verdict {
        var initiator = Keys.handshake(.initiator)
        var responder = Keys.handshake(.responder)
        let patch = Patch(of: try initiator.writeMessage(), by: &feed)
        guard let read = try Self.read(patch.bytes, by: &responder) else { return .refused }
        try demand(patch.bytes.count == 32 + read.bytes.count, "a payload has another length")
        // A key of small order is found where it is used first.
        guard let answer = try? responder.writeMessage() else {
            try demand(!patch.isIdentity, "an honest key is refused")
            return .refused
        }
        let isTaken = try Self.read(answer, by: &initiator) != nil
        try demand(isTaken == patch.isIdentity, "a changed message 1 goes unnoticed")
        return isTaken ? .accepted : .refused
    }

    private static func second(_ feed: inout Feed) throws -> Verdict {
        var initiator = Keys.handshake(.initiator)
        var responder = Keys.handshake(.responder)
        _ = try responder.readMessage(try initiator.writeMessage())
        let patch = Patch(of: try responder.writeMessage(payload: [1, 2, 3]), by: &feed)
        let read = try Self.read(patch.bytes, by: &initiator)
        try demand((read?.bytes == [1, 2, 3]) == patch.isIdentity, "message 2 is not authentic")
        try demand((read != nil) == patch.isIdentity, "a changed message 2 goes unnoticed")
        return read == nil ? .refused : .accepted
    }

    private static func third(_ feed: inout Feed) throws -> Verdict {
        var initiator = Keys.handshake(.initiator)
        var responder = Keys.handshake(.responder)
        _ = try responder.readMessage(try initiator.writeMessage())
        _ = try initiator.readMessage(try responder.writeMessage())
        let patch = Patch(of: try initiator.writeMessage(payload: [1, 2, 3]), by: &feed)
        let read = try Self.read(patch.bytes, by: &responder)
        try demand((read?.bytes == [1, 2, 3]) == patch.isIdentity, "message 3 is not authentic")
        try demand((read != nil) == patch.isIdentity, "a changed message 3 goes unnoticed")
        return read == nil ? .refused : .accepted
    }

    private static func transport(_ feed: inout Feed) throws -> Verdict {
        var ends = try Ends()
        let isFromInitiator = feed.byte().isMultiple(of: 2)
        // Some messages before this one, so that the nonce is another.
        for _ in 0..<feed.byte() % 8 {
            var sealed: [UInt8] = []
            var opened: [UInt8] = []
            if isFromInitiator {
                try ends.initiator.encrypt([7], appendingTo: &sealed)
                try ends.responder.decrypt(sealed, appendingTo: &opened)
            } else {
                try ends.responder.encrypt([7], appendingTo: &sealed)
                try ends.initiator.decrypt(sealed, appendingTo: &opened)
            }
        }
        var sealed: [UInt8] = []
        let plaintext = Array("agora".utf8)
        if isFromInitiator {
            try ends.initiator.encrypt(plaintext, appendingTo: &sealed)
        } else {
            try ends.responder.encrypt(plaintext, appendingTo: &sealed)
        }
        let patch = Patch(of: sealed, by: &feed)
        var opened: [UInt8] = [0xff]
        let before = (ends.initiator.messagesReceived, ends.responder.messagesReceived)
        let isOpened: Bool
        if isFromInitiator {
            isOpened = (try? ends.responder.decrypt(patch.bytes, appendingTo: &opened)) != nil
        } else {
            isOpened = (try? ends.initiator.decrypt(patch.bytes, appendingTo: &opened)) != nil
        }
        try demand(isOpened == patch.isIdentity, "a changed message decrypts")
        try demand(opened == [0xff] + (isOpened ? plaintext : []), "a message decrypts to another")
        let after = (ends.initiator.messagesReceived, ends.responder.messagesReceived)
        try demand(isOpened || after == before, "a refused message counts")
        return isOpened ? .accepted : .refused
    }

    /// Bytes that stand for a whole stream after the preface, to a session.
    private static func madeUp(_ bytes: [UInt8], by role: HandshakeRole) throws -> Verdict {
        let key = Keys.pair(0x31)
        var failure: SessionFailure?
        var output: [UInt8]
        let events: [SessionEvent]
        switch role {
        case .initiator:
            var session = Session(responder: Keys.responder, static: key)
            events = session.receive(Preface.ours.encoded + bytes)
            output = session.output(limit: .max)
        case .responder:
            var session = Session(
                initiator: Keys.initiator, static: key, expecting: nil, dial: 7)
            _ = session.output(limit: .max)
            events = session.receive([1] + bytes)
            output = session.output(limit: .max)
        }
        for event in events {
            switch event {
            case .failed(let reason): failure = reason
            case .established, .received:
                throw Finding("somebody without a key is introduced")
            }
        }
        if role == .initiator {
            try demand(output.removeFirst() == 1, "the version is not said first")
        }
        try demand(failure == nil || output.isEmpty || role == .initiator, "a failure is answered")
        return failure == nil ? .accepted : .refused
    }

    /// Reads a message, and sees to it that a refusal changes nothing.
    private static func read(
        _ message: [UInt8], by side: inout HandshakeState
    ) throws -> HandshakePayload? {
        let before = side.handshakeHash
        let turn = side.turn
        do {
            let payload = try side.readMessage(message)
            try demand(side.turn != turn, "a message is read and due again")
            return payload
        } catch let error as CryptoError {
            switch error {
            case .outOfTurn, .handshakeFinished: throw Finding("a message is read out of turn")
            default: break
            }
            try demand(
                side.handshakeHash == before && side.turn == turn, "a refused message changes state"
            )
            return nil
        }
    }

    /// Both ends of a finished handshake.
    private struct Ends: ~Copyable {
        var initiator: TransportState
        var responder: TransportState

        init() throws {
            var initiator = Keys.handshake(.initiator)
            var responder = Keys.handshake(.responder)
            _ = try responder.readMessage(try initiator.writeMessage())
            _ = try initiator.readMessage(try responder.writeMessage())
            _ = try responder.readMessage(try initiator.writeMessage())
            self.initiator = initiator.split()
            self.responder = responder.split()
        }
    }
}

/// Handshake payloads 2 and 3 as somebody sends them who knows Noise.
enum IntroductionTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let flags = feed.byte()
        let raw = feed.remainder()
        let decoded = try? Introduction(decoding: raw)
        if let decoded { try Self.canonical(decoded, raw) }
        let isForResponder = flags & 1 != 0
        var peer = try Peer(isForResponder ? .initiator : .responder) { context in
            // A signature that holds, over whatever the introduction says.
            guard flags & 2 != 0, raw.count >= 97 else { return raw }
            let signed = Introduction(
                version: 1, signer: Keys.bea, boot: 0, dial: 0, listenPort: nil, context: context)
            return [raw[0]] + signed.encoded[1..<97] + raw[97...]
        }
        var isTaken = false
        for event in peer.events {
            switch event {
            case .established(let info):
                isTaken = true
                try demand(decoded != nil, "an introduction is taken that does not parse")
                try demand(flags & 2 != 0, "a signature over another handshake is taken")
                try demand(info.peer == PeerID(Keys.bea.publicKey), "another identity is told")
                try demand(info.boot == decoded?.boot, "another boot is told")
                try demand(info.listenPort == decoded?.listenPort, "another port is told")
                try demand(
                    decoded?.version == 1 && (decoded?.dial == 0) != isForResponder,
                    "another version or dial counter is taken")
            case .failed, .received: break
            }
        }
        if isTaken { try peer.deliver([0x01, 0x10] + [UInt8](repeating: 9, count: 16)) }
        return isTaken ? .accepted : .refused
    }

    /// What is decoded has one form, but for capabilities that this version does not know.
    private static func canonical(_ introduction: Introduction, _ raw: [UInt8]) throws {
        let encoded = introduction.encoded
        let again = try? Introduction(decoding: encoded)
        try demand(again == introduction, "an introduction does not survive its encoding")
        var reader = WireReader(raw)
        _ = try reader.raw("head", count: 1 + 32 + 64 + 8 + 8)
        let area = try reader.sized("capabilities", limit: Limits.capabilityBytes)
        let types = try Extensions.types(of: area)
        if types.allSatisfy({ $0 == 2 }) {
            try demand(encoded == raw, "an introduction is taken in a second form")
        } else {
            try demand(types.allSatisfy { $0.isMultiple(of: 2) }, "an odd capability is taken")
        }
    }
}
