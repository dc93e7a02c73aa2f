import Posix
import Testing

@Suite("Who is at the other end of a connection within this machine")
struct LoopbackPeerTests {
    @Test("the kernel names the user of a connection, and knows none that is not there")
    func user() throws {
        let address = try #require(SocketAddress("127.0.0.1:0"))
        let listener = try TCPListener(on: address)
        let client = try StreamSocket.connect(to: listener.localAddress)
        let own = try StreamSocket.localAddress(of: client)
        let server = listener.localAddress.port
        #expect(
            try LoopbackPeer.userID(port: own.port, server: server) == ProcessEnvironment.userID)
        #expect(try LoopbackPeer.userID(port: own.port, server: server ^ 1) == nil)
        #expect(try LoopbackPeer.userID(port: 1, server: server) == nil)
    }
}
