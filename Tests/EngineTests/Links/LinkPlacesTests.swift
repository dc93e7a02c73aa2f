import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Places for links")
struct LinkPlacesTests {
    private static func occupant(
        _ number: UInt64, from source: String, _ tier: Tier = .stranger, isDialled: Bool = false
    ) -> LinkPlaces.Occupant {
        LinkPlaces.Occupant(
            link: LinkID(number), source: Source("\(source):1"), tier: tier, isDialled: isDialled)
    }

    private static func occupants(
        _ numbers: Range<UInt64>, from source: String? = nil, _ tier: Tier = .stranger,
        isDialled: Bool = false
    ) -> [LinkPlaces.Occupant] {
        numbers.map { Self.occupant($0, from: source ?? "host\($0)", tier, isDialled: isDialled) }
    }

    private static func verdict(
        _ newcomer: LinkPlaces.Occupant, _ links: [LinkPlaces.Occupant]
    ) -> LinkPlaces.Verdict {
        LinkPlaces.verdict(for: newcomer, among: links)
    }

    @Test("of 128, 96 are for anyone, and 16 of these for what this node dials")
    func places() {
        let newcomer = Self.occupant(999, from: "new")
        let dialled = Self.occupant(999, from: "new", isDialled: true)
        #expect(Self.verdict(newcomer, Self.occupants(0..<79)) == .free)
        #expect(Self.verdict(newcomer, Self.occupants(0..<80)) == .full)
        #expect(Self.verdict(dialled, Self.occupants(0..<80)) == .free)
        let both = Self.occupants(0..<80) + Self.occupants(80..<95, isDialled: true)
        #expect(Self.verdict(dialled, both) == .free)
        #expect(
            Self.verdict(dialled, both + [Self.occupant(95, from: "x", isDialled: true)]) == .full)
        #expect(Self.verdict(newcomer, Self.occupants(0..<96, isDialled: true)) == .full)
        #expect(
            Self.verdict(
                newcomer, Self.occupants(0..<79) + Self.occupants(79..<96, isDialled: true))
                == .full)
    }

    // Shows: daemon.links
    @Test("a source with fewer links takes the newest place of the one with most")
    func sources() {
        let flood = Self.occupants(0..<78, from: "flood") + Self.occupants(78..<80)
        #expect(Self.verdict(Self.occupant(999, from: "new"), flood) == .replaces(LinkID(77)))
        #expect(Self.verdict(Self.occupant(999, from: "flood"), flood) == .full)
        // Two that have as many do not change places for ever.
        let two = Self.occupants(0..<40, from: "one") + Self.occupants(40..<80, from: "other")
        #expect(Self.verdict(Self.occupant(999, from: "one"), two) == .full)
        let uneven = Self.occupants(0..<39, from: "one") + Self.occupants(39..<80, from: "other")
        #expect(Self.verdict(Self.occupant(999, from: "one"), uneven) == .replaces(LinkID(79)))
    }

    // Shows: daemon.links
    @Test("whom the user knows gives way to nobody, and takes the place of others")
    func known() {
        let strangers = Self.occupants(0..<80) + Self.occupants(80..<96, isDialled: true)
        let known = Self.occupants(100..<132, from: "office", .known)
        let newcomer = Self.occupant(999, from: "office", .known)
        #expect(Self.verdict(newcomer, strangers + known.dropLast()) == .free)
        guard case .replaces(let victim) = Self.verdict(newcomer, strangers + known) else {
            Issue.record("no place for somebody whom the user knows")
            return
        }
        #expect(victim.rawValue < 96)
        let all = Self.occupants(0..<128, from: "office", .known)
        #expect(Self.verdict(newcomer, all) == .full)
        #expect(Self.verdict(Self.occupant(999, from: "new"), all) == .full)
        // A stranger of a source with one link, where known people of one source have all others.
        let most = Self.occupants(0..<127, from: "office", .known) + Self.occupants(127..<128)
        #expect(Self.verdict(Self.occupant(999, from: "new"), most) == .full)
    }

    @Test("a fellow takes the place of a stranger, and no stranger that of a fellow")
    func fellows() {
        let fellows = Self.occupants(0..<79, from: "office", .fellow)
        let links = fellows + Self.occupants(79..<80)
        #expect(
            Self.verdict(Self.occupant(999, from: "office", .fellow), links)
                == .replaces(LinkID(79)))
        #expect(Self.verdict(Self.occupant(999, from: "new"), links) == .full)
    }

    @Test("of one source what this node has dialled itself stays longest")
    func dialled() {
        let links =
            Self.occupants(0..<90, from: "flood", isDialled: true)
            + Self.occupants(90..<96, from: "flood")
        let newcomer = Self.occupant(999, from: "new", isDialled: true)
        #expect(Self.verdict(newcomer, links) == .replaces(LinkID(95)))
    }

    // Shows: daemon.small-rooms
    @Test(
        "who shares a conversation that few links share takes the place of who shares what many share, or nothing"
    )
    func sharing() {
        func sharing(_ count: Int, _ occupants: [LinkPlaces.Occupant]) -> [LinkPlaces.Occupant] {
            occupants.map {
                var occupant = $0
                occupant.fewestSharing = count
                return occupant
            }
        }
        func newcomer(sharing count: Int, from source: String = "new") -> LinkPlaces.Occupant {
            sharing(count, [Self.occupant(999, from: source)])[0]
        }
        let many = sharing(70, Self.occupants(0..<70)) + Self.occupants(70..<80)
        #expect(Self.verdict(newcomer(sharing: 3), many) == .replaces(LinkID(79)))
        let all = sharing(80, Self.occupants(0..<79) + [Self.occupant(79, from: "last")])
        #expect(Self.verdict(newcomer(sharing: 39), all) == .replaces(LinkID(79)))
        // As few again, or half as many: else those two would change places for ever.
        #expect(Self.verdict(newcomer(sharing: 40), all) == .full)
        #expect(Self.verdict(Self.occupant(999, from: "new"), all) == .full)
        // Each further link of a host needs it as much less.
        #expect(Self.verdict(newcomer(sharing: 19, from: "host3"), all) == .replaces(LinkID(79)))
        #expect(Self.verdict(newcomer(sharing: 20, from: "host3"), all) == .full)
        // What this node has dialled gives way to nobody who dials, and whom the user knows to nobody.
        let own = sharing(80, Self.occupants(0..<79)) + Self.occupants(80..<96, isDialled: true)
        let known = Self.occupants(100..<116, from: "office", .known)
        #expect(
            Self.verdict(
                newcomer(sharing: 1), own + sharing(80, [Self.occupant(79, from: "last")]) + known)
                == .replaces(LinkID(79)))
    }

    // Shows: daemon.small-rooms
    @Test(
        "on trial is one of each source of those who dial, and not more than there are such places")
    func trials() {
        let newcomer = Self.occupant(999, from: "new")
        #expect(LinkPlaces.mayTry(newcomer, beside: Self.occupants(0..<23)))
        #expect(!LinkPlaces.mayTry(newcomer, beside: Self.occupants(0..<24)))
        #expect(!LinkPlaces.mayTry(newcomer, beside: [Self.occupant(1, from: "new")]))
        let dialled = Self.occupants(0..<24, from: "new", isDialled: true)
        #expect(LinkPlaces.mayTry(newcomer, beside: dialled))
        #expect(
            LinkPlaces.mayTry(
                Self.occupant(999, from: "new", isDialled: true), beside: dialled.dropLast()))
        #expect(!LinkPlaces.mayTry(Self.occupant(999, from: "x", isDialled: true), beside: dialled))
    }

    // Shows: daemon.links
    @Test("a node that one host has filled with links takes others, and tells whom it turns away")
    func node() {
        var harness = Harness()
        func open(_ number: UInt64, at host: String) {
            let key = PeerID(fixed32(0).with(number))
            harness.give(
                .linkOpened(
                    LinkID(number), LinkInfo(to: key, boot: number), address: "\(host):9",
                    dial: nil))
        }
        for number in 1...100 as ClosedRange<UInt64> { open(number, at: "192.0.2.66") }
        #expect(harness.node.status(at: harness.now).links == 80)
        #expect(harness.closed[LinkID(100)] == .busy)
        for number in 201...230 as ClosedRange<UInt64> { open(number, at: "192.0.2.\(number)") }
        #expect(harness.node.status(at: harness.now).links == 80)
        for number in 201...230 as ClosedRange<UInt64> {
            #expect(harness.closed[LinkID(number)] == nil)
        }
        #expect(harness.closed[LinkID(80)] == .busy)
        #expect(harness.closed[LinkID(50)] == nil)
    }
}

extension Bytes32 {
    /// The same bytes with a number at their beginning.
    fileprivate func with(_ number: UInt64) -> Bytes32 {
        var bytes = self.bytes
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return Bytes32(bytes) ?? .zero
    }
}
