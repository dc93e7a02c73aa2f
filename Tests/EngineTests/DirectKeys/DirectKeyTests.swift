import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A conversation of two people, after a device was revoked") struct DirectKeyTests {
    @Test("is sealed with its root until then, and with a key that the device has not from then on")
    func revoked() {
        var scene = DirectNet()
        scene.write("before", by: 1)
        #expect(scene.epochs(of: 1).allSatisfy { $0 == scene.root })
        scene.revoke()
        scene.write("after", by: 1)
        scene.write("answer", by: 3)
        scene.write("another", by: 4)
        let key = scene.epochs(of: 1).last
        #expect(key != scene.root && scene.epochs(of: 3).last == key)
        #expect(scene.epochs(of: 4).last == key)
        for number: UInt8 in [1, 3, 4] {
            #expect(
                scene.texts(at: number) == ["before", "after", "answer", "another"],
                "at \(number)")
        }
        #expect(scene.texts(at: 2) == ["before"])
    }

    // Shows: device.direct
    @Test("gives the device no key on a link with somebody who has not heard of it")
    func unheard() {
        var scene = DirectNet()
        scene.write("before", by: 1)
        scene.net.withhold(.records, from: 4)
        scene.revoke(linkedWith: 4)
        scene.write("after", by: 1)
        scene.pass()
        let key = scene.epochs(of: 1).last
        #expect(scene.texts(at: 4) == ["before", "after"])
        #expect(scene.has(key, at: 4) && !scene.has(key, at: 2))
        #expect(scene.texts(at: 2) == ["before"])

        scene.net.deliver(to: 4)
        scene.write("heard", by: 4)
        scene.pass()
        #expect(scene.epochs(of: 4).last == key)
        #expect(scene.texts(at: 1) == ["before", "after", "heard"])
        #expect(scene.texts(at: 2) == ["before"])
    }

    @Test("has keys of both where they are apart, and is shown alike to all once they meet")
    func apart() {
        var scene = DirectNet()
        scene.revoke()
        scene.disconnect(1, from: 3, 4)
        scene.write("from Ada", by: 1)
        scene.write("from Bea", by: 3)
        let keys = Set([scene.epochs(of: 1).last, scene.epochs(of: 3).last, scene.root])
        #expect(keys.count == 3)
        scene.net.connect(1, 4)
        scene.pass()
        for number: UInt8 in [1, 3, 4] {
            #expect(Set(scene.texts(at: number)) == ["from Ada", "from Bea"], "at \(number)")
            #expect(scene.texts(at: number) == scene.texts(at: 1))
        }
        scene.write("together", by: 1)
        scene.pass()
        #expect(scene.texts(at: 3).last == "together")
        #expect(!scene.has(scene.epochs(of: 1).last, at: 2))
    }

    @Test("is sealed with such a key also where it begins later")
    func later() {
        var scene = DirectNet(isBegun: false)
        scene.revoke()
        scene.begin()
        scene.write("hello", by: 1)
        scene.write("hello, too", by: 4)
        #expect(scene.epochs(of: 1).allSatisfy { $0 != scene.root })
        #expect(!scene.has(scene.epochs(of: 1).last, at: 2))
        for number: UInt8 in [1, 3, 4] {
            #expect(scene.texts(at: number) == ["hello", "hello, too"], "at \(number)")
        }
    }

    @Test("is read by whoever lets its first writer in, and after that")
    func request() {
        var scene = DirectNet(isBegun: false)
        scene.revoke()
        scene.net.ask(1, .beginDirect(Harness.peer(3)))
        scene.net.settle()
        scene.write("may I?", by: 1)
        scene.pass()
        #expect(scene.net[3].node.pendingRequests.map(\.text) == ["may I?"])
        scene.net.ask(3, .accept(Harness.peer(1)))
        scene.net.settle()
        scene.pass()
        scene.write("yes", by: 3)
        scene.pass()
        for number: UInt8 in [1, 3, 4] {
            #expect(scene.texts(at: number) == ["may I?", "yes"], "at \(number)")
        }
        let held = scene.net[3].node.conversations.directKeys.table[scene.conversation]?.held
        #expect(held?.keys.contains { $0 == scene.epochs(of: 1).last } == true)
    }

    @Test("is read from its beginning by a device that comes later, by one other alone")
    func newDevice() {
        var scene = DirectNet()
        scene.disconnect(4, from: 1, 2, 3)
        scene.write("before", by: 1)
        scene.revoke()
        scene.write("after", by: 1)
        scene.disconnect(1, from: 3)
        scene.write("answer", by: 3)
        scene.net.connect(3, 4)
        scene.pass()
        #expect(scene.texts(at: 4) == ["before", "after", "answer"])
    }

    @Test("is read from its beginning and gone on with where a backup was restored on a new disk")
    func restored() {
        var scene = DirectNet(1...5)
        scene.write("before", by: 1)
        scene.revoke()
        scene.write("after", by: 1)
        scene.pass()
        let contacts = scene.net[1].node.contacts
        scene.net.putBack(5, meeting: [3])
        scene.net.ask(5, .restore(contacts))
        for partner in contacts.partners { scene.net.ask(5, .beginDirect(partner.device)) }
        scene.net.settle()
        scene.pass()
        #expect(scene.texts(at: 5) == ["before", "after"])
        scene.write("again", by: 5)
        scene.pass()
        #expect(scene.texts(at: 1).last == "again" && scene.texts(at: 3).last == "again")
        #expect(scene.epochs(of: 5).last == scene.epochs(of: 1).last)
        #expect(scene.texts(at: 2) == ["before"])
    }

    @Test("goes on with its keys after a restart, and reads what they have sealed")
    func restart() throws {
        var scene = DirectNet()
        scene.revoke()
        scene.write("after", by: 1)
        let node = scene.net[3].node
        let id = scene.conversation
        let held = try #require(node.conversations.directKeys.table[id]?.held.values.first)
        var snapshot = Snapshot()
        snapshot.conversations[id] = ConversationMembership(
            try #require(node.conversations.table[id]).kind, isJoined: true)
        snapshot.epochs[id] = [held]
        snapshot.records = node.persons.profiles.revocations(by: GroupNet.id(of: 1))
        let again = Harness(3, of: GroupNet.person(3), snapshot: snapshot).node
        #expect(again.keyToWrite(in: id) == .use(held))
        #expect(again.keyring.current(in: id)?.id == held.epoch.id)
    }

    @Test("has what stands in no entry sealed so, too")
    func marks() {
        var scene = DirectNet()
        scene.revoke()
        scene.write("after", by: 1)
        scene.pass()
        let keyring = scene.net[3].node.keyring
        #expect(keyring.current(in: scene.conversation)?.id == scene.epochs(of: 1).last)
        scene.net.ask(3, .typing(scene.conversation))
        scene.net.settle()
        let typing = scene.net[1].signals.contains {
            if case .typing = $0 { true } else { false }
        }
        #expect(typing)
    }
}

@Suite("Notes, after a device was revoked") struct NotesKeyTests {
    @Test("are read on by the user's other devices, and not by that one")
    func notes() {
        var scene = DirectNet(1...5, isNotes: true)
        scene.write("before", by: 1)
        scene.revoke()
        scene.write("after", by: 1)
        scene.write("more", by: 5)
        scene.pass()
        #expect(scene.epochs(of: 1).last != scene.root)
        for number: UInt8 in [1, 5] {
            #expect(scene.texts(at: number) == ["before", "after", "more"], "at \(number)")
        }
        #expect(scene.texts(at: 2) == ["before"] && !scene.has(scene.epochs(of: 1).last, at: 2))
    }

    @Test("say what is the user's to the others alone")
    func own() {
        var scene = DirectNet(1...5, isNotes: true)
        scene.revoke()
        scene.net.ask(1, .stand(Harness.peer(3), .known))
        scene.net.settle()
        scene.pass()
        #expect(scene.net[5].node.standing(of: Harness.peer(3)) == .known)
        #expect(scene.epochs(of: 1).last != scene.root)
    }
}
