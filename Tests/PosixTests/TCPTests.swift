import Glibc
import Posix
import Testing

@Suite struct TCPTests {
    /// Connects to a listener and returns both ends.
    private func connect(
        to listener: TCPListener,
        _ body: (borrowing FileDescriptor, borrowing FileDescriptor) throws -> Void
    ) throws {
        let client = try StreamSocket.connect(to: listener.localAddress)
        try wait(for: client.number, events: POLLOUT)
        #expect(StreamSocket.connectResult(of: client) == nil)
        try wait(for: listener.descriptor.number, events: POLLIN)
        guard let server = try listener.accept() else {
            Issue.record("nothing to accept")
            return
        }
        #expect(
            try StreamSocket.remoteAddress(of: server) == StreamSocket.localAddress(of: client))
        try body(client, server)
    }

    @Test("a listener may come before its address, as while IPv6 looks for duplicates")
    func tentative() throws {
        for text in ["192.0.2.77:0", "[2001:db8::77]:0"] {
            let address = try #require(SocketAddress(text))
            let error = #expect(throws: SystemError.self) { try TCPListener(on: address) }
            #expect(error?.code == EADDRNOTAVAIL)
            #expect(try TCPListener(on: address, mayPrecedeAddress: true).localAddress.port != 0)
        }
    }

    @Test(
        "bytes go both ways over loopback, over IPv4 and IPv6",
        arguments: [IPAddress.loopbackIPv4, .loopbackIPv6])
    func bytesBothWays(ip: IPAddress) throws {
        let listener = try TCPListener(on: SocketAddress(ip: ip, port: 0))
        #expect(listener.localAddress.port != 0)
        #expect(listener.localAddress.ip == ip)
        #expect(try isNothing(listener.accept()))
        try self.connect(to: listener) { client, server in
            try StreamSocket.tune(client, userTimeoutMilliseconds: 60_000, keepaliveSeconds: 20)
            try StreamSocket.tune(server, userTimeoutMilliseconds: 60_000, keepaliveSeconds: 20)
            var buffer = [UInt8](repeating: 0, count: 16)
            #expect(server.read(into: &buffer) == .wouldBlock)
            #expect(client.send([1, 2, 3], from: 1) == .bytes(2))
            try wait(for: server.number, events: POLLIN)
            #expect(server.read(into: &buffer) == .bytes(2))
            #expect(buffer[..<2] == [2, 3])
            client.finishSending()
            try wait(for: server.number, events: POLLIN)
            #expect(server.read(into: &buffer) == .end)
            #expect(server.send([9]) == .bytes(1))
            try wait(for: client.number, events: POLLIN)
            #expect(client.read(into: &buffer) == .bytes(1))
        }
    }

    @Test("the kernel counts the packets of a stream, and none over loopback is lost")
    func packets() throws {
        let listener = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        try self.connect(to: listener) { client, server in
            var buffer = [UInt8](repeating: 0, count: 16)
            for _ in 0..<3 {
                #expect(client.send([1, 2, 3]) == .bytes(3))
                try wait(for: server.number, events: POLLIN)
                #expect(server.read(into: &buffer) == .bytes(3))
            }
            let (sent, received) = (
                StreamSocket.packets(of: client), StreamSocket.packets(of: server)
            )
            #expect(sent?.sent == 3 && sent?.resent == 0 && sent?.received == 0)
            #expect(received?.sent == 0 && received?.received == 3 && received?.early == 0)
        }
    }

    @Test("tuning sets all three options")
    func tuning() throws {
        let listener = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        try self.connect(to: listener) { client, _ in
            try StreamSocket.tune(client, userTimeoutMilliseconds: 45_000, keepaliveSeconds: 20)
            // TCP_NODELAY, TCP_USER_TIMEOUT and TCP_NOTSENT_LOWAT of linux/tcp.h.
            for (option, expected) in [(1, 1), (18, 45_000), (25, 32_768)] as [(Int32, Int32)] {
                var value: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                let status = getsockopt(client.number, Int32(IPPROTO_TCP), option, &value, &length)
                #expect(status == 0)
                #expect(value == expected)
            }
        }
    }

    @Test("a slow reader makes the writer wait, not fail")
    func backPressure() throws {
        let listener = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        try self.connect(to: listener) { client, _ in
            let chunk = [UInt8](repeating: 7, count: 1 << 20)
            var sent = 0
            while case .bytes(let count) = client.send(chunk), sent < 1 << 30 { sent += count }
            #expect(client.send(chunk) == .wouldBlock)
        }
    }

    @Test("writing to a stream that the other side has reset fails without a signal")
    func brokenPipe() throws {
        let listener = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        let client = try StreamSocket.connect(to: listener.localAddress)
        try wait(for: listener.descriptor.number, events: POLLIN)
        do {
            let server = try listener.accept()
            #expect(client.send([1]) == .bytes(1))
            // Closing with bytes unread sends a reset.
            let wasNothing = isNothing(server)
            #expect(!wasNothing)
        }
        try wait(for: client.number, events: POLLERR)
        guard case .failed(let error) = client.send([1]) else {
            Issue.record("the write did not fail")
            return
        }
        #expect(error.code == ECONNRESET || error.code == EPIPE)
    }

    @Test("nobody listening is told by the result of the connect")
    func refused() throws {
        let address = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0)).localAddress
        let client = try StreamSocket.connect(to: address)
        try wait(for: client.number, events: POLLOUT)
        #expect(StreamSocket.connectResult(of: client)?.meansNobodyListens == true)
    }

    @Test("a port that is taken is refused with the address in the error")
    func taken() throws {
        let first = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        let error = #expect(throws: SystemError.self) {
            _ = try TCPListener(on: first.localAddress)
        }
        #expect(error?.code == EADDRINUSE)
        #expect(error?.context == first.localAddress.description)
    }

    @Test("where a port is taken the next free one is listened on, as far as is asked for")
    func next() throws {
        let first = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
        let port = first.localAddress.port
        let other = try? TCPListener.open(on: first.localAddress, nextPorts: 100)
        // Near the end of all ports there may be none behind it.
        if port < 65_000 {
            let found = try #require(other?.localAddress.port)
            #expect(found > port && Int(found) <= Int(port) + 100)
        }
        let error = #expect(throws: SystemError.self) {
            _ = try TCPListener.open(on: first.localAddress, nextPorts: 0)
        }
        #expect(error?.code == EADDRINUSE && error?.context == first.localAddress.description)
        let free = try TCPListener.open(
            on: SocketAddress(ip: .loopbackIPv4, port: 0), nextPorts: 3)
        #expect(free.localAddress.port > 0)
    }

    @Test("an address of another machine cannot be listened on")
    func notOurs() throws {
        let address = try #require(SocketAddress("192.0.2.77:0"))
        let error = #expect(throws: SystemError.self) { _ = try TCPListener(on: address) }
        #expect(error?.code == EADDRNOTAVAIL)
    }

    @Test("the wildcard listener takes IPv4 and IPv6, and IPv4 peers look like IPv4")
    func wildcard() throws {
        let listeners = try TCPListener.open()
        try #require(listeners.count == 1)
        let port = listeners[0].localAddress.port
        for ip in [IPAddress.loopbackIPv4, .loopbackIPv6] {
            let client = try StreamSocket.connect(to: SocketAddress(ip: ip, port: port))
            try wait(for: listeners[0].descriptor.number, events: POLLIN)
            guard let server = try listeners[0].accept() else {
                Issue.record("nothing to accept")
                continue
            }
            #expect(try StreamSocket.remoteAddress(of: server).ip == ip)
            #expect(try StreamSocket.localAddress(of: client).ip == ip)
        }
    }

    @Test("listening on one interface means its addresses, all with one port")
    func oneInterface() throws {
        let listeners = try TCPListener.open(interface: "lo")
        let addresses = try NetworkInterface.named("lo").addresses
        #expect(listeners.map(\.localAddress.ip) == addresses)
        #expect(Set(listeners.map(\.localAddress.port)).count == 1)
    }

    @Test("an unknown interface is refused and the known ones are listed")
    func unknownInterface() {
        let error = #expect(throws: SystemError.self) {
            _ = try TCPListener.open(interface: "nosuchif0")
        }
        #expect(error?.code == ENODEV)
        #expect(error?.description.contains("lo") == true)
    }

    @Test("the loopback interface is listed with its addresses and flags")
    func interfaces() throws {
        let loopback = try NetworkInterface.named("lo")
        #expect(loopback.isLoopback && loopback.isUp && !loopback.isPointToPoint)
        #expect(loopback.addresses.contains(.loopbackIPv4))
        #expect(NetworkInterface.name(ofIndex: loopback.index) == "lo")
        #expect(NetworkInterface.index(ofName: "nosuchif0") == nil)
        #expect(NetworkInterface.name(ofIndex: .max) == nil)
    }
}
