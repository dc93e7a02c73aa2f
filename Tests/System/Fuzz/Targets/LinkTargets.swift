import Crypto

@testable import Engine
@testable import Formats

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
        guard preface.lowest <= 2 && preface.highest >= 2 else {
            let due = SessionFailure.version(lowest: preface.lowest, highest: preface.highest)
            return try demand(failure == due && output == [0, 2, 2], "no range is told")
        }
        // Only who knows the tag of an ephemeral key is answered by more than refusals.
        try Self.demandRefusals(output)
        let refusals = output.prefix { $0 == 0xff }.count
        try demand(refusals <= Limits.handshakeAttempts, "attempts have no end")
        try demand(
            (refusals == Limits.handshakeAttempts) == (failure == .wrongRealm),
            "the last refusal does not end the stream")
    }

    /// Attempts are refused one by one, until one is answered with the version.
    static func demandRefusals(_ output: [UInt8]) throws {
        let first = output.first { $0 != 0xff }
        try demand(first == nil || first == 2, "an attempt is answered by something else")
    }

    /// The side that dialled.
    private static func choice(_ bytes: [UInt8]) throws {
        let (failure, _) = try Self.result(of: bytes) {
            Session(initiator: Keys.initiator, static: $0, expecting: nil, dial: 7)
        }
        switch bytes.first {
        case nil, 2: break
        case 0xff: try demand(failure == .wrongRealm, "a refusal is not taken")
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
            try demand(opening.isEmpty || opening.count == 12 + 16 + 2 + 49, "an opening is cut")
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
                || results[0].output.count > 17 && results[0].output.contains(2),
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

    /// Message 1 is sealed under a key that all in a realm have.
    private static func first(_ feed: inout Feed) throws -> Verdict {
        var initiator = Keys.handshake(.initiator)
        var responder = Keys.handshake(.responder)
        let patch = Patch(of: try initiator.writeMessage(payload: [1, 2, 3]), by: &feed)
        let read = try Self.read(patch.bytes, by: &responder)
        try demand((read?.bytes == [1, 2, 3]) == patch.isIdentity, "message 1 is not authentic")
        try demand((read != nil) == patch.isIdentity, "a changed message 1 goes unnoticed")
        return read == nil ? .refused : .accepted
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
            events = session.receive([2] + bytes)
            output = session.output(limit: .max)
        }
        for event in events {
            switch event {
            case .failed(let reason): failure = reason
            case .established, .received:
                throw Finding("somebody without a key is introduced")
            }
        }
        if role == .initiator { try PrefaceTarget.demandRefusals(output) }
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
            let signed = Introduction(version: 2, of: Keys.responder, dial: 0, context: context)
                .encoded
            var bytes = [raw[0]] + signed[1..<97] + raw[97...]
            // And a certificate that holds, where the input asks for it.
            if flags & 4 != 0, bytes.count >= 281 {
                bytes.replaceSubrange(113..<281, with: signed[113..<281])
            }
            return bytes
        }
        var isTaken = false
        for event in peer.events {
            switch event {
            case .established(let info):
                isTaken = true
                try demand(decoded != nil, "an introduction is taken that does not parse")
                try demand(flags & 2 != 0, "a signature over another handshake is taken")
                try demand(
                    info.certificate == Keys.certificates[1]
                        || flags & 4 == 0
                            && info.certificate.isValid(for: PeerID(Keys.bea.publicKey)),
                    "another device's certificate is taken")
                try demand(info.features == decoded?.features, "other features are told")
                try demand(info.peer == PeerID(Keys.bea.publicKey), "another identity is told")
                try demand(info.boot == decoded?.boot, "another boot is told")
                try demand(info.listenPort == decoded?.listenPort, "another port is told")
                try demand(
                    decoded?.version == 2 && (decoded?.dial == 0) != isForResponder,
                    "another version or dial counter is taken")
            case .failed, .received: break
            }
        }
        if isTaken { try peer.deliver([0x01, 0x10] + [UInt8](repeating: 9, count: 16)) }
        return isTaken ? .accepted : .refused
    }

    /// What is decoded has one form, but for types that this version does not know.
    private static func canonical(_ introduction: Introduction, _ raw: [UInt8]) throws {
        let encoded = introduction.encoded
        let again = try? Introduction(decoding: encoded)
        try demand(again == introduction, "an introduction does not survive its encoding")
        var reader = WireReader(raw)
        _ = try reader.raw("head", count: 1 + 32 + 64 + 8 + 8 + Certificate.byteCount)
        _ = try reader.sized("features", limit: Limits.featureBytes)
        let area = try reader.sized("area", limit: Limits.introductionAreaBytes)
        let types = try Extensions.types(of: area)
        if types.allSatisfy({ $0 == 2 }) {
            try demand(encoded == raw, "an introduction is taken in a second form")
        } else {
            try demand(types.allSatisfy { $0.isMultiple(of: 2) }, "an odd type is taken")
        }
    }
}

/// Certificates as somebody shows them, alone.
enum CertificateTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        let bea = PeerID(Keys.bea.publicKey)
        let decoded = try? Certificate(decoding: bytes)
        try demand((decoded != nil) == (bytes.count == Certificate.byteCount), "a length is wrong")
        guard let decoded else { return .refused }
        try demand(decoded.encoded == bytes, "a certificate does not survive its encoding")
        let isValid = decoded.isValid(for: bea)
        try demand(
            !isValid || !decoded.isValid(for: PeerID(Keys.ada.publicKey)),
            "a certificate holds for two devices")
        // The input is added to an honest one, of which no bit may be changed.
        let honest = Keys.certificates[1].encoded
        let mixed = zip(honest, bytes).map { $0 ^ $1 }
        let changed = try Certificate(decoding: mixed)
        try demand(
            changed.isValid(for: bea) == bytes.allSatisfy { $0 == 0 }, "a changed one is believed")
        return isValid || changed.isValid(for: bea) ? .accepted : .refused
    }
}
