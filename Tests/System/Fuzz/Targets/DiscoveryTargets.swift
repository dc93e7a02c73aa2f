import Posix

@testable import Discovery

/// A TXT record off the network, by the ways of both backends.
enum TXTTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        guard let strings = TXTRecord.decode(bytes) else { return .refused }
        // An empty record and one with an empty string say the same.
        try demand(
            TXTRecord.encode(strings) == (bytes.isEmpty ? [0] : bytes), "strings have a second form"
        )
        // The system's daemon gives the record, the embedded one its strings.
        let pairs = TXTRecord.pairs(of: strings)
        try demand(
            pairs.keys.allSatisfy { !$0.isEmpty && !$0.contains("=") }, "a key is none")
        for (key, value) in pairs {
            try demand(key == key.lowercased(), "a key has capitals")
            try demand(
                key.utf8.count <= 3 * 255 && value.utf8.count <= 3 * 255, "a pair is too long")
        }
        try Self.own(pairs)
        return .accepted
    }

    /// What can be written as a record comes back from it.
    private static func own(_ pairs: [String: String]) throws {
        let own = pairs.filter { key, value in
            key.utf8.allSatisfy { 0x20...0x7e ~= $0 } && key.utf8.count + value.utf8.count < 255
        }
        let strings = TXTRecord.strings(of: own)
        guard let again = TXTRecord.decode(TXTRecord.encode(strings)) else {
            throw Finding("an own record is none")
        }
        try demand(TXTRecord.pairs(of: again) == own, "an own record does not survive")
        if own["txtvers"] != nil {
            try demand(strings.first?.starts(with: "txtvers=".utf8) == true, "txtvers is not first")
        }
    }
}

/// What is seen of a few instances on a few interfaces, in any order.
///
/// Who listens hears of each at most once that it is there, changes only while it is there, and that it
/// is gone only when it was there.
enum SightingsTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        var table = InstanceTable()
        var known: [String: ServiceInstance] = [:]
        while !feed.isEmpty {
            let step = feed.byte()
            let name = "n\(feed.byte() % 4)"
            let interface = UInt32(feed.byte() % 3)
            var events: [DiscoveryEvent?] = []
            switch step % 6 {
            case 0: _ = table.appear(name, on: interface)
            case 1:
                let port = UInt16(feed.byte())
                let strings = TXTRecord.decode(feed.bytes(Int(feed.byte() % 32))) ?? []
                let txt = TXTRecord.pairs(of: strings)
                let addresses = step < 0x80 ? [] : Self.addresses(&feed, on: interface)
                events = [
                    table.found(addresses, port: port, txt: txt, of: name, on: interface)
                ]
            case 2:
                let addresses = Self.addresses(&feed, on: interface)
                events = [table.endLook(addresses, of: name, on: interface)]
            case 3: events = [table.disappear(name, from: interface)]
            case 4: table.forgetSightings()
            default: events = table.loseUnseen()
            }
            for case let event? in events { try Self.hear(event, &known) }
            try demand(table.reportedNames == Set(known.keys), "the table knows of others")
        }
        return known.isEmpty ? .refused : .accepted
    }

    private static func addresses(_ feed: inout Feed, on interface: UInt32) -> Set<IPAddress> {
        let form = feed.byte()
        return Set(
            (0..<form & 0x3f).compactMap { _ in
                IPAddress(bytes: feed.bytes(form & 0x40 != 0 ? 16 : 4), scope: interface)
            })
    }

    private static func hear(
        _ event: DiscoveryEvent, _ known: inout [String: ServiceInstance]
    ) throws {
        switch event {
        case .found(let instance):
            try demand(known.updateValue(instance, forKey: instance.name) == nil, "found twice")
            try Self.check(instance)
        case .changed(let instance):
            let before = known.updateValue(instance, forKey: instance.name)
            try demand(before != nil && before != instance, "nothing has changed")
            try Self.check(instance)
        case .lost(let name):
            try demand(known.removeValue(forKey: name) != nil, "lost what was not there")
        case .advertised, .seen, .failed: throw Finding("the table speaks of other things")
        }
    }

    private static func check(_ instance: ServiceInstance) throws {
        let addresses = instance.addresses
        try demand(!addresses.isEmpty && addresses == addresses.sorted(), "addresses out of order")
        try demand(
            addresses.count <= 3 * InstanceTable.maximumAddresses
                && Set(addresses).count == addresses.count, "addresses repeat")
    }
}
