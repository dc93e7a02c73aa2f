import Crypto
import Engine
import Formats
import Posix
import TestSupport
import Testing

@testable import Daemon

/// A peer that shakes hands with a daemon, and keeps its last message back.
private struct LatePeer: ~Copyable {
    private let stream: FileDescriptor
    private var session: Session

    init(dialling address: SocketAddress) throws {
        let signer = Signer(SigningKey.generate())
        let identity = SessionIdentity(
            signer: signer, certificate: PersonKeys.generate().certify(signer, at: 1), boot: 1,
            listenPort: nil, realms: [.open])
        self.stream = try StreamSocket.connect(to: address)
        self.session = Session(
            initiator: identity, static: KeyPair.generate(), expecting: nil, dial: 1)
    }

    /// Goes on until only the last message is to be said: to itself the link is there then.
    mutating func shakeHands() throws {
        while !self.session.isEstablished {
            try self.write()
            try #require(try self.read() != nil, "the daemon has ended the handshake")
        }
    }

    /// Says what it has kept back, and gives the reason of the goodbye that follows; nil where none does.
    mutating func goodbye() throws -> GoawayReason? {
        try self.write()
        while let events = try self.read() {
            for case .received(let received) in events {
                if case .goaway(let reason, _) = received.frame { return reason }
            }
        }
        return nil
    }

    private mutating func write() throws {
        guard self.session.hasOutput else { return }
        let bytes = self.session.output(limit: 65_536)
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while SystemClock.monotonicMilliseconds() < deadline {
            if case .bytes(bytes.count) = self.stream.send(bytes) { return }
            // Before the connection stands nothing can be written.
            _ = try waitUntilReadable([], timeoutMilliseconds: 1)
        }
        throw TestClientError.timeout
    }

    /// What comes next; nil at the end.
    private mutating func read() throws -> [SessionEvent]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch self.stream.read(into: &buffer) {
            case .bytes(let count): return self.session.receive(buffer[..<count])
            case .wouldBlock:
                let ready = try waitUntilReadable(
                    [self.stream.number], timeoutMilliseconds: 60_000)
                try #require(!ready.isEmpty, "the daemon says nothing")
            case .end, .failed: return nil
            }
        }
    }
}

@Suite("The goodbye of a daemon that stops", .serialized, .timeLimit(.minutes(5)))
struct GoodbyeTests {
    /// Waits until nobody listens at an address.
    private func awaitClosed(_ address: SocketAddress) throws {
        let deadline = SystemClock.monotonicMilliseconds() + 60_000
        while SystemClock.monotonicMilliseconds() < deadline {
            do throws(SystemError) {
                let stream = try StreamSocket.connect(to: address)
                if StreamSocket.connectResult(of: stream) != nil { return }
            } catch { return }
            _ = try waitUntilReadable([], timeoutMilliseconds: 5)
        }
        Issue.record("the daemon goes on listening")
    }

    private func goodbyeAfterHandshake() throws -> GoawayReason? {
        let daemon = try TestDaemon()
        let address = try #require(SocketAddress(try daemon.address()))
        var peer = try LatePeer(dialling: address)
        try peer.shakeHands()
        daemon.run.requestStop()
        try self.awaitClosed(address)
        return try peer.goodbye()
    }

    @Test("whoever is about to finish a handshake gets one, too: to them the link is there")
    func handshake() throws {
        // A busy machine may not come to it in the 0.4 s that goodbyes may take.
        for _ in 0..<5 {
            if try self.goodbyeAfterHandshake() == .shutdown { return }
        }
        Issue.record("the daemon has left without a word")
    }
}
