import Posix
import Testing

@testable import Discovery

@Suite struct InstanceTableTests {
    private let txt = ["txtvers": "1"]

    private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// A look has found an instance at port 5.
    private func find(
        _ addresses: Set<IPAddress>, _ name: String, on interface: UInt32 = 1,
        in table: inout InstanceTable
    ) -> DiscoveryEvent? {
        table.found(addresses, port: 5, txt: self.txt, of: name, on: interface)
    }

    @Test("an instance is reported once it has a port and an address, on all its interfaces as one")
    func merges() throws {
        var table = InstanceTable()
        let first = try self.ip("192.0.2.1")
        let second = try self.ip("198.51.100.1")
        #expect(table.appear("a", on: 3) == true)
        #expect(table.appear("a", on: 2) == true)
        let one = ServiceInstance(
            name: "a", interfaceIndex: 3, addresses: [SocketAddress(ip: first, port: 5)],
            txt: self.txt)
        #expect(self.find([first], "a", on: 3, in: &table) == .found(one))
        #expect(self.find([first], "a", on: 3, in: &table) == nil)
        let both = ServiceInstance(
            name: "a", interfaceIndex: 2,
            addresses: [first, second].map { SocketAddress(ip: $0, port: 5) }, txt: self.txt)
        #expect(self.find([second], "a", on: 2, in: &table) == .changed(both))
        #expect(table.disappear("a", from: 2) == .changed(one))
        #expect(table.disappear("a", from: 3) == .lost(name: "a"))
        #expect(table.disappear("a", from: 3) == nil)
    }

    @Test("one whose addresses come one by one when it is looked up again has not moved")
    func lookedUpAgain() throws {
        let (first, second) = (try self.ip("192.0.2.1"), try self.ip("fd00::1"))
        var table = InstanceTable()
        #expect(table.appear("a", on: 1) == true)
        #expect(self.find([first], "a", in: &table) != nil)
        let both = ServiceInstance(
            name: "a", interfaceIndex: 1,
            addresses: [first, second].map { SocketAddress(ip: $0, port: 5) }, txt: self.txt)
        #expect(self.find([second], "a", in: &table) == .changed(both))
        // The other one is too late for this look.
        #expect(table.endLook([second], of: "a", on: 1) == nil)
        #expect(self.find([first], "a", in: &table) == nil)
        #expect(table.endLook([first, second], of: "a", on: 1) == nil)
    }

    @Test("one that has moved is at its new address alone once the look is over")
    func moved() throws {
        let (old, new) = (try self.ip("192.0.2.1"), try self.ip("192.0.2.2"))
        var table = InstanceTable()
        #expect(table.appear("a", on: 1) == true)
        #expect(self.find([old], "a", in: &table) != nil)
        #expect(self.find([new], "a", in: &table) != nil)
        let moved = ServiceInstance(
            name: "a", interfaceIndex: 1, addresses: [SocketAddress(ip: new, port: 5)],
            txt: self.txt)
        #expect(table.endLook([new], of: "a", on: 1) == .changed(moved))
    }

    @Test("one that has another port is reported at once, and with no address of before")
    func otherPort() throws {
        let (old, new) = (try self.ip("192.0.2.1"), try self.ip("192.0.2.2"))
        var table = InstanceTable()
        #expect(table.appear("a", on: 1) == true)
        #expect(self.find([old], "a", in: &table) != nil)
        let moved = ServiceInstance(
            name: "a", interfaceIndex: 1, addresses: [SocketAddress(ip: new, port: 6)],
            txt: self.txt)
        let event = table.found([new], port: 6, txt: self.txt, of: "a", on: 1)
        #expect(event == .changed(moved))
    }

    @Test("an instance that was never reported is not lost")
    func neverReported() {
        var table = InstanceTable()
        #expect(table.appear("a", on: 1) == true)
        #expect(table.disappear("a", from: 1) == nil)
        #expect(self.find([.loopbackIPv4], "a", in: &table) == nil)
    }

    @Test("losing all addresses for a while is not news")
    func withoutAddresses() {
        var table = InstanceTable()
        #expect(table.appear("a", on: 1) == true)
        #expect(self.find([.loopbackIPv4], "a", in: &table) != nil)
        #expect(table.found([], port: 6, txt: self.txt, of: "a", on: 1) == nil)
        #expect(self.find([.loopbackIPv4], "a", in: &table) == nil)
    }

    @Test("a search that starts afresh loses only who is not found again")
    func afresh() {
        var table = InstanceTable()
        for name in ["a", "b"] {
            #expect(table.appear(name, on: 1) == true)
            #expect(self.find([.loopbackIPv4], name, in: &table) != nil)
        }
        table.forgetSightings()
        #expect(table.appear("b", on: 1) == true)
        #expect(table.loseUnseen() == [.lost(name: "a")])
        #expect(self.find([.loopbackIPv4], "b", in: &table) == nil)
        #expect(table.reportedNames == ["b"])
    }

    // Shows: mdns.tables
    @Test("a stranger cannot fill the table or the addresses of an instance")
    func bounded() throws {
        var table = InstanceTable()
        for number in 0..<InstanceTable.maximumInstances {
            #expect(table.appear("instance \(number)", on: 1) == true)
        }
        #expect(table.appear("one too many", on: 1) == false)
        #expect(table.appear("instance 0", on: 2) == true)
        let many = Set(try (0..<200).map { try self.ip("10.0.0.\($0)") })
        guard case .found(let instance) = self.find(many, "instance 0", in: &table) else {
            Issue.record("not found")
            return
        }
        #expect(instance.addresses.count == InstanceTable.maximumAddresses)
    }

    @Test("TXT strings are written txtvers first and read back")
    func txtRoundTrip() {
        let txt = ["v": "2", "txtvers": "1", "min": "1", "n": "ada = eve"]
        let strings = TXTRecord.strings(of: txt)
        #expect(strings.first == Array("txtvers=1".utf8))
        #expect(TXTRecord.decode(TXTRecord.encode(strings)) == strings)
        #expect(TXTRecord.pairs(of: strings) == txt)
        #expect(TXTRecord.encode([]) == [0])
    }

    @Test("TXT strings as others may send them are read as RFC 6763 says")
    func txtFromOthers() {
        let strings = ["V=1", "v=2", "=x", "", "flag", "empty="].map { Array($0.utf8) }
        #expect(TXTRecord.pairs(of: strings) == ["v": "1", "flag": "", "empty": ""])
        #expect(TXTRecord.decode([3, 1, 2]) == nil)
        #expect(TXTRecord.decode([0, 1, 65]) == [[], [65]])
    }

    // Shows: wire.announcement
    @Test("an announcement has a random name that says nothing")
    func randomNames() {
        let name = Advertisement.randomName()
        #expect(name.count == 16)
        #expect(name != Advertisement.randomName())
    }

    @Test("waits double from a second to a minute")
    func backoff() {
        var backoff = Backoff()
        for base: UInt64 in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect((base * 1_000...base * 1_250).contains(backoff.next()))
        }
        backoff.reset()
        #expect(backoff.next() <= 1_250)
    }
}
