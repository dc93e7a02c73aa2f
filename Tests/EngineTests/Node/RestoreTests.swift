import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Contacts of a node, from one to another") struct RestoreTests {
    private static let (ada, ben) = (Harness.peer(1), Harness.peer(2))

    private static func name(_ harness: inout Harness, _ number: UInt8, _ name: String) {
        let record = Record(
            kind: Record.Kind.profile, author: Harness.peer(number), conversation: nil,
            time: HybridTime(wallMilliseconds: harness.now.wall),
            value: Profile(name: name, status: "").encoded, signer: signer(number))
        harness.give(.records([record]), from: number)
        harness.settle()
    }

    private static func ask(_ harness: inout Harness, _ number: UInt64, _ what: Request) -> [Answer]
    {
        harness.give(.request(RequestID(number), what))
        harness.settle()
        return harness.answers(of: RequestID(number))
    }

    @Test("who was verified or blocked stays so, also where the conversation with them comes back")
    func standings() throws {
        var old = Harness(1)
        old.link(2, of: personKeys(50, 51), in: [])
        old.link(3, of: personKeys(52, 53), in: [])
        let cleo = Harness.peer(3)
        _ = Self.ask(&old, 100, .stand(Self.ben, .verified))
        _ = Self.ask(&old, 101, .beginDirect(Self.ben))
        _ = Self.ask(&old, 102, .beginDirect(cleo))
        _ = Self.ask(&old, 103, .stand(cleo, .blocked))
        let contacts = old.node.contacts
        var new = Harness(9)
        // All at once, as the daemon does it.
        new.give(.request(RequestID(100), .restore(contacts)))
        for (number, partner) in contacts.partners.enumerated() {
            new.give(.request(RequestID(UInt64(101 + number)), .beginDirect(partner.device)))
        }
        new.settle()
        #expect(contacts.partners.count == 2 && contacts.standings.count == 2)
        #expect(new.node.standing(of: Self.ben) == .verified)
        #expect(new.node.standing(of: cleo) == .blocked)
    }

    @Test("people come back with names, keys and places; what nobody has signed does not")
    func people() throws {
        var old = Harness(1)
        old.join(room("ops"))
        old.settle()
        old.link(2, of: personKeys(50, 51), in: [])
        Self.name(&old, 2, "Ben")
        _ = Self.ask(&old, 100, .stand(Self.ben, .verified))
        _ = Self.ask(&old, 101, .beginDirect(Self.ben))
        _ = Self.ask(&old, 102, .beginDirect(Self.ada))
        var contacts = old.node.contacts
        #expect(contacts.rooms == [room("ops")] && contacts.standings == [Self.ben: .verified])
        #expect(Set(contacts.partners.map(\.device)) == [Self.ben, Self.ada])
        #expect(contacts.peers.map(\.id) == [Self.ben])
        #expect(contacts.peers.first?.person == personKeys(50, 51).publicKeys)
        let forged = Record(
            kind: Record.Kind.profile, author: Harness.peer(3), conversation: nil,
            time: HybridTime(wallMilliseconds: old.now.wall),
            value: Profile(name: "Cleo", status: "").encoded, signer: signer(4))
        contacts.records.append(forged)
        contacts.peers[0].addresses = ["192.0.2.2:4100"]
        contacts.profile = Profile(name: "Ada L", status: "back")

        var new = Harness(9)
        #expect(new.node.isUnused)
        #expect(Self.ask(&new, 100, .restore(contacts)) == [.restored])
        #expect(new.node.isUnused)
        #expect(new.node.tier(of: Self.ben) == .verified)
        #expect(new.node.profile(of: Self.ben).name == "Ben")
        #expect(new.node.profile(of: Harness.peer(3)).name == "")
        #expect(new.node.profile(of: Harness.peer(9)) == contacts.profile)
        #expect(try new.node.person(named: "@ben", for: .reach) == Self.ben)
        // Their keys are there, so the same conversation begins, though nobody is linked.
        let direct = old.node.direct(with: Self.ben)?.id
        #expect(Self.ask(&new, 101, .beginDirect(Self.ben)) == [.joined(try #require(direct))])
        #expect(!new.node.isUnused)
        #expect(new.dials.map(\.address) == ["192.0.2.2:4100"])
        #expect(new.dials.map(\.expecting) == [Self.ben])
    }

    @Test("a node in which somebody has been anywhere is in use, also once they have left")
    func used() {
        var harness = Harness(1)
        harness.link(2, in: [room("ops")])
        harness.settle()
        #expect(harness.node.isUnused)
        harness.join(room("ops"))
        #expect(!harness.node.isUnused)
        harness.settle()
        #expect(!harness.node.isUnused)
        _ = Self.ask(&harness, 100, .leave(room("ops").conversation))
        #expect(!harness.node.isUnused)
    }
}
