import Noise
import Testing

@Suite("HandshakeState")
struct HandshakeStateTests {
    @Test("three messages give both ends the same hash, each other's key and working ciphers")
    func roundTrip() throws {
        var ends = try Ends()
        #expect(ends.initiator.turn == .write)
        #expect(ends.responder.turn == .read)
        let first = try ends.initiator.writeMessage(payload: [7])
        #expect(try ends.responder.readMessage(first).bytes == [7])
        #expect(ends.responder.remoteStatic == nil)
        let second = try ends.responder.writeMessage(payload: [8])
        #expect(try ends.initiator.readMessage(second).bytes == [8])
        #expect(ends.initiator.remoteStatic == ends.responder.localStaticKey)
        let third = try ends.initiator.writeMessage()
        #expect(try ends.responder.readMessage(third).bytes == [])
        #expect(ends.responder.remoteStatic == ends.initiator.localStaticKey)
        #expect(ends.initiator.isFinished && ends.responder.isFinished)
        #expect(ends.initiator.turn == nil)
        #expect(ends.initiator.handshakeHash == ends.responder.handshakeHash)

        var initiator = ends.initiator.split()
        var responder = ends.responder.split()
        #expect(initiator.handshakeHash == responder.handshakeHash)
        #expect(initiator.remoteStatic == (try keyPair(3)).publicKey)
        #expect(responder.remoteStatic == (try keyPair(1)).publicKey)
        var wire: [UInt8] = [0xff]
        try initiator.encrypt([1, 2, 3], appendingTo: &wire)
        #expect(wire.count == 1 + 3 + TransportState.overheadByteCount)
        var plain: [UInt8] = [0xee]
        try responder.decrypt([UInt8](wire.dropFirst()), appendingTo: &plain)
        #expect(plain == [0xee, 1, 2, 3])
        wire = []
        try responder.encrypt([9], appendingTo: &wire)
        try initiator.decrypt(wire, appendingTo: &plain)
        #expect(plain == [0xee, 1, 2, 3, 9])
    }
}
