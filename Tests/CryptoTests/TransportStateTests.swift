import Crypto
import Testing

@Suite("TransportState")
struct TransportStateTests {
    @Test("messages are appended behind what is there, in both directions")
    func appends() throws {
        var streams = try Streams()
        var wire: [UInt8] = [0, 19]
        try streams.initiator.encrypt([1, 2, 3], appendingTo: &wire)
        #expect(wire.count == 2 + 3 + TransportState.overheadByteCount)
        var plain: [UInt8] = [9]
        try streams.responder.decrypt(
            wire.span.bytes.extracting(2..<wire.count), appendingTo: &plain)
        #expect(plain == [9, 1, 2, 3])
    }

    // Shows: wire.forward-secrecy
    @Test("both ends change their keys after 2^16 messages and go on, each direction by itself")
    func rekey() throws {
        var streams = try Streams()
        var wire: [UInt8] = []
        var plain: [UInt8] = []
        for number in 0..<TransportState.messagesPerKey + 3 {
            wire.removeAll(keepingCapacity: true)
            plain.removeAll(keepingCapacity: true)
            try streams.initiator.encrypt([UInt8(truncatingIfNeeded: number)], appendingTo: &wire)
            try streams.responder.decrypt(wire, appendingTo: &plain)
            if plain != [UInt8(truncatingIfNeeded: number)] {
                Issue.record("message \(number) arrived as \(plain)")
            }
        }
        #expect(streams.initiator.messagesSent == TransportState.messagesPerKey + 3)
        #expect(streams.responder.messagesReceived == TransportState.messagesPerKey + 3)
        #expect(streams.responder.messagesSent == 0)
        wire = []
        try streams.responder.encrypt([7], appendingTo: &wire)
        plain = []
        try streams.initiator.decrypt(wire, appendingTo: &plain)
        #expect(plain == [7])
    }

    // Shows: wire.forward-secrecy
    @Test("an end that missed the change of keys understands nothing after it")
    func rekeyMatters() throws {
        var streams = try Streams()
        let last = TransportState.messagesPerKey - 1
        streams.initiator.setNonces(sending: last, receiving: 0)
        var wire: [UInt8] = []
        try streams.initiator.encrypt([1], appendingTo: &wire)
        wire = []
        try streams.initiator.encrypt([2], appendingTo: &wire)
        streams.responder.setNonces(sending: 0, receiving: last + 1)
        var plain: [UInt8] = []
        #expect(
            failure { () throws(CryptoError) in
                try streams.responder.decrypt(wire, appendingTo: &plain)
            } == .decryptFailed)
    }

    // Shows: wire.sealed
    @Test("a flipped bit, a cut or a longer message is refused, and the right one still arrives")
    func tampering() throws {
        var streams = try Streams()
        var wire: [UInt8] = []
        try streams.initiator.encrypt([1, 2, 3], appendingTo: &wire)
        var plain: [UInt8] = [9]
        for bit in 0..<wire.count * 8 {
            var changed = wire
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(
                failure { () throws(CryptoError) in
                    try streams.responder.decrypt(changed, appendingTo: &plain)
                } == .decryptFailed)
        }
        for count in 0..<wire.count {
            #expect(
                failure { () throws(CryptoError) in
                    try streams.responder.decrypt(Array(wire.prefix(count)), appendingTo: &plain)
                } == (count < 16 ? .messageTooShort(expected: 16, got: count) : .decryptFailed))
        }
        #expect(
            failure { () throws(CryptoError) in
                try streams.responder.decrypt(wire + [0], appendingTo: &plain)
            } == .decryptFailed)
        #expect(plain == [9])
        #expect(streams.responder.messagesReceived == 0)
        try streams.responder.decrypt(wire, appendingTo: &plain)
        #expect(plain == [9, 1, 2, 3])
    }

    // Shows: wire.sealed
    @Test("a replayed, skipped or mirrored message is refused")
    func order() throws {
        var streams = try Streams()
        var first: [UInt8] = []
        var second: [UInt8] = []
        try streams.initiator.encrypt([1], appendingTo: &first)
        try streams.initiator.encrypt([2], appendingTo: &second)
        var plain: [UInt8] = []
        #expect(
            failure { () throws(CryptoError) in
                try streams.responder.decrypt(second, appendingTo: &plain)
            } == .decryptFailed)
        try streams.responder.decrypt(first, appendingTo: &plain)
        #expect(
            failure { () throws(CryptoError) in
                try streams.responder.decrypt(first, appendingTo: &plain)
            } == .decryptFailed)
        #expect(
            failure { () throws(CryptoError) in
                try streams.initiator.decrypt(first, appendingTo: &plain)
            } == .decryptFailed)
        try streams.responder.decrypt(second, appendingTo: &plain)
        #expect(plain == [1, 2])
    }

    @Test("the largest and the empty plaintext pass, one byte more is refused")
    func sizes() throws {
        var streams = try Streams()
        let largest = [UInt8](repeating: 3, count: TransportState.plaintextByteLimit)
        for plaintext in [[], largest] {
            var wire: [UInt8] = []
            try streams.initiator.encrypt(plaintext, appendingTo: &wire)
            #expect(wire.count == plaintext.count + TransportState.overheadByteCount)
            var plain: [UInt8] = []
            try streams.responder.decrypt(wire, appendingTo: &plain)
            #expect(plain == plaintext)
        }
        var wire: [UInt8] = []
        #expect(
            failure { () throws(CryptoError) in
                try streams.initiator.encrypt(largest + [0], appendingTo: &wire)
            } == .messageTooLong(limit: 65_519, got: 65_520))
        #expect(wire == [])
        #expect(
            failure { () throws(CryptoError) in
                try streams.responder.decrypt(
                    [UInt8](repeating: 0, count: 65_536), appendingTo: &wire)
            } == .messageTooLong(limit: 65_535, got: 65_536))
        #expect(streams.initiator.messagesSent == 2)
    }

    @Test("the last nonce is never used")
    func nonceExhaustion() throws {
        var streams = try Streams()
        streams.initiator.setNonces(sending: .max - 1, receiving: 0)
        streams.responder.setNonces(sending: 0, receiving: .max - 1)
        var wire: [UInt8] = []
        try streams.initiator.encrypt([1], appendingTo: &wire)
        var plain: [UInt8] = []
        try streams.responder.decrypt(wire, appendingTo: &plain)
        #expect(
            failure { () throws(CryptoError) in
                try streams.initiator.encrypt([2], appendingTo: &wire)
            } == .nonceExhausted)
        #expect(
            failure { () throws(CryptoError) in
                try streams.responder.decrypt(wire, appendingTo: &plain)
            } == .nonceExhausted)
        #expect(plain == [1])
        #expect(wire.count == 17)
    }
}
