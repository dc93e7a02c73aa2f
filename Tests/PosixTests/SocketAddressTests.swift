import Posix
import Testing

@Suite struct SocketAddressTests {
    @Test(
        "written addresses are read and written back alike",
        arguments: [
            "192.0.2.1:4000", "0.0.0.0:0", "[::]:0", "[::1]:65535", "[2001:db8::1]:80",
            "[fe80::1%lo]:5", "127.0.0.1:1",
        ])
    func roundTrip(text: String) throws {
        let address = try #require(SocketAddress(text))
        #expect(address.description == text)
        #expect(SocketAddress(address.description) == address)
    }

    @Test(
        "what is not a numeric address with a port is refused",
        arguments: [
            "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
            "[127.0.0.1]:1", "::1:80", "[::1]", "[::1", "localhost:1", "[::1%lo]:1", "1.2.3:4",
            "[fe80::1%nosuchif]:1", "[fe80::1%]:1", "[fe80::1%0]:1", "1.2.3.4\0:5", "[]:1", "[:1",
            "127.0.0.1%lo:1", " 127.0.0.1:1", "127.0.0.1:1 ", "127.0.0.1:٣",
        ])
    func refused(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test("an IPv4 address mapped into IPv6 is the IPv4 address")
    func mapped() throws {
        let mapped = try #require(IPAddress("::ffff:192.0.2.7"))
        #expect(mapped == IPAddress("192.0.2.7"))
        #expect(mapped.bytes == [192, 0, 2, 7])
        #expect(!mapped.isIPv6)
    }

    @Test("bytes and address are the same thing")
    func bytes() throws {
        let bytes: [UInt8] = [0xfe, 0x80] + Array(repeating: 0, count: 13) + [9]
        let address = try #require(IPAddress(bytes: bytes, scope: 1))
        #expect(address.bytes == bytes)
        #expect(address.scope == 1)
        #expect(address.isLinkLocal)
        #expect(address.description == "fe80::9%lo")
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test("a scope is kept only where it means something")
    func scope() throws {
        let global = [0x20, 0x01] + Array(repeating: UInt8(0), count: 13) + [1]
        #expect(IPAddress(bytes: global, scope: 3)?.scope == 0)
        #expect(IPAddress("fe80::1%4294967000")?.description == "fe80::1%4294967000")
    }

    @Test("candidates are ordered IPv4, IPv6, link-local IPv6")
    func order() throws {
        let texts = ["[fe80::1%lo]:1", "[2001:db8::1]:1", "10.0.0.1:2", "10.0.0.1:1"]
        let sorted = try texts.map { try #require(SocketAddress($0)) }.sorted()
        #expect(sorted.map(\.description) == texts.reversed())
    }

    @Test("kinds of addresses are told apart")
    func kinds() throws {
        #expect(IPAddress("169.254.1.1")?.isLinkLocal == true)
        #expect(IPAddress("127.8.8.8")?.isLoopback == true)
        #expect(IPAddress.loopbackIPv6.isLoopback)
        #expect(IPAddress.anyIPv4.isWildcard && IPAddress.anyIPv6.isWildcard)
        #expect(IPAddress.anyIPv4 != IPAddress.anyIPv6)
    }

    @Test("a numeric address resolves to itself and a missing port is explained")
    func resolving() throws {
        #expect(
            try SocketAddress.resolve("127.0.0.1:7") == [try #require(SocketAddress("127.0.0.1:7"))]
        )
        let error = #expect(throws: SystemError.self) { try SocketAddress.resolve("localhost") }
        #expect(error?.description.contains("HOST:PORT") == true)
        #expect(try SocketAddress.resolve("localhost:9").contains { $0.ip.isLoopback })
    }
}
