import Testing

@testable import Engine
@testable import Formats

@Suite("From where somebody comes")
struct SourceTests {
    @Test(
        "is the host, and of an IPv6 address that others can reach the network",
        arguments: [
            ("192.0.2.7:4100", "192.0.2.7"),
            ("[2001:db8:1:2:3:4:5:6]:4100", "2001:db8:1:2::/64"),
            ("[2001:db8:1:2::9]:1", "2001:db8:1:2::/64"),
            ("[2001:db8::1]:1", "2001:db8:0:0::/64"),
            ("[fd00::]:1", "fd00:0:0:0::/64"),
            ("[::2]:1", "0:0:0:0::/64"),
            ("[::1]:1", "::1"),
            ("[fe80::1%eth0]:1", "fe80::1%eth0"),
            ("[febf::1%2]:1", "febf::1%2"),
            ("", ""), (":", ""), ("[]:1", ""), ("[:::]:1", "0:0:0:0::/64"), ("host", "host"),
        ])
    func sources(address: String, source: String) {
        #expect(Source(address).description == source)
    }

    @Test("is the same for two ports of one host and two hosts of one network")
    func same() {
        #expect(Source("192.0.2.7:1") == Source("192.0.2.7:2"))
        #expect(Source("[2001:db8::1]:1") == Source("[2001:db8::ffff:1]:1"))
        #expect(Source("[fe80::1%eth0]:1") != Source("[fe80::2%eth0]:1"))
    }
}
