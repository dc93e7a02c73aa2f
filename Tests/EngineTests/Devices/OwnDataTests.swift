import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What the user's devices tell each other")
struct OwnDataTests {
    /// A device as the machine sees one: what is told, and what is so here.
    private struct Device {
        let id: PeerID
        var data = OwnData()
        var here: [OwnItem: OwnData.State] = [:]
        var log: [Word] = []
        /// How much of each other's log has come.
        var heard: [PeerID: Int] = [:]
        var clock: UInt64

        mutating func take(_ word: Word) {
            self.data.take(word.entry, word.id, by: word.author, at: word.time)
        }

        /// The user changes something; what is told already is not told again.
        mutating func change(_ item: OwnItem, _ state: OwnData.State) {
            self.here[item] = state
            guard let entry = self.data.entry(item, state) else { return }
            self.clock += 1
            let number = UInt64(self.log.count)
            let bytes = self.id.key.bytes + withUnsafeBytes(of: number.bigEndian) { Array($0) }
            let word = Word(
                entry: entry, id: EntryID(BLAKE2b.hash256(bytes, personal: .markHead)),
                author: self.id, time: HybridTime(wallMilliseconds: self.clock))
            self.log.append(word)
            self.take(word)
        }

        /// Does here what is told; what differs only after that would be told as a change.
        mutating func follow() {
            for (item, state) in self.data.all { self.here[item] = state }
        }

        mutating func hear(_ other: Device, _ count: Int) {
            let from = self.heard[other.id] ?? 0
            for word in other.log.dropFirst(from).prefix(count) { self.take(word) }
            self.heard[other.id] = min(other.log.count, from + count)
            self.follow()
        }
    }

    private struct Word {
        let entry: OwnEntry
        let id: EntryID
        let author: PeerID
        let time: HybridTime
    }

    private static let ada = OwnItem(.blocked, PeerID(fixed32(7)))
    private static let place = OwnItem(.conversations, ConversationID(fixed32(8)))

    private static func device(_ number: UInt8, clock: UInt64) -> Device {
        Device(id: PeerID(signer(number).publicKey), clock: clock)
    }

    @Test("ends the same on all, whatever came in which order and however wrong the clocks are")
    func converges() {
        let items = [Self.ada, Self.place, .profile]
        for seed in UInt64(0)..<500 {
            var random = SeededRandom(seed: seed)
            var devices = (1...3).map {
                Self.device($0, clock: .random(in: 0...1_000, using: &random))
            }
            for _ in 0..<60 {
                let index = Int.random(in: 0..<3, using: &random)
                if Bool.random(using: &random) {
                    let item = items.randomElement(using: &random) ?? .profile
                    let state = OwnData.State(
                        isIn: item == .profile || .random(using: &random),
                        value: [.random(in: 1...9, using: &random)])
                    devices[index].change(item, state.isIn ? state : .init(isIn: false))
                } else {
                    let other = devices[Int.random(in: 0..<3, using: &random)]
                    if other.id != devices[index].id {
                        devices[index].hear(other, .random(in: 1...5, using: &random))
                    }
                }
            }
            for index in devices.indices {
                for other in devices where other.id != devices[index].id {
                    devices[index].hear(other, .max / 2)
                }
            }
            let states = devices.map { device in items.map { device.data.state(of: $0) } }
            #expect(states.allSatisfy { $0 == states[0] }, "seed \(seed)")
            // What is told is so on each, and telling it writes nothing.
            for device in devices {
                for (item, state) in device.data.all {
                    #expect(device.here[item] == state)
                    #expect(device.data.entry(item, state) == nil, "seed \(seed)")
                }
            }
        }
    }

    @Test("has of a device's name the last that was given, and says it once")
    func names() {
        let (id, clock) = (PeerID(signer(1).publicKey), UInt64(1))
        let item = OwnItem(.devices, id)
        var (one, other) = (Self.device(1, clock: clock), Self.device(2, clock: 9_000))
        one.change(item, .init(isIn: true))
        other.hear(one, 9)
        one.change(item, .init(isIn: true, value: Array("laptop".utf8)))
        other.change(item, .init(isIn: true, value: Array("old".utf8)))
        one.hear(other, 9)
        other.hear(one, 9)
        for device in [one, other] {
            #expect(device.data.state(of: item)?.value == Array("old".utf8))
        }
        // What knows of both replaces both, whatever its clock says.
        one.change(item, .init(isIn: true, value: Array("new".utf8)))
        one.change(item, .init(isIn: true, value: Array("new".utf8)))
        #expect(one.log.count == 3)
        other.hear(one, 9)
        #expect(other.data.state(of: item)?.value == Array("new".utf8))
    }

    @Test("loses nothing that another device has added meanwhile, whichever clock is ahead")
    func adds() {
        var (one, other) = (Self.device(1, clock: 9_000), Self.device(2, clock: 1))
        one.change(Self.ada, .init(isIn: true))
        other.hear(one, 9)
        other.change(Self.ada, .init(isIn: false))
        one.change(Self.place, .init(isIn: true, value: [1]))
        other.change(Self.place, .init(isIn: true, value: [1]))
        other.change(Self.place, .init(isIn: false))
        one.hear(other, 9)
        other.hear(one, 9)
        for device in [one, other] {
            #expect(device.data.state(of: Self.ada)?.isIn == false)
            #expect(device.data.state(of: Self.place)?.isIn == true)
        }
    }

    // Shows: device.own
    @Test("counts nothing that a revoked device dates later, and again what it had replaced")
    func revoked() {
        var (one, thief) = (Self.device(1, clock: 1), Self.device(2, clock: 10))
        one.change(Self.ada, .init(isIn: true))
        thief.hear(one, 9)
        thief.change(Self.ada, .init(isIn: false))
        one.hear(thief, 9)
        #expect(one.data.state(of: Self.ada)?.isIn == false)
        one.data.revoke(thief.id, from: HybridTime(wallMilliseconds: 10))
        #expect(one.data.state(of: Self.ada)?.isIn == true)
        one.data.revoke(thief.id, from: nil)
        #expect(one.data.state(of: Self.ada)?.isIn == false)
    }

    @Test("is nothing for who has one device: no entry, and no conversation with oneself")
    func alone() {
        var harness = Harness()
        harness.join(room("ops"))
        harness.settle()
        harness.link(2, in: [])
        harness.give(.request(RequestID(50), .stand(Harness.peer(2), .known)))
        harness.settle()
        #expect(harness.node.mine.all.isEmpty && !harness.node.mine.isShared)
        #expect(Array(harness.node.conversations.table.keys) == [room("ops").conversation])
    }

    @Test("is written once a newer device is linked, an entry an item, and not again")
    func offers() throws {
        var harness = Harness()
        for name in ["ops", "lab"] { harness.join(room(name)) }
        harness.settle()
        harness.link(2, in: [])
        harness.give(.request(RequestID(50), .stand(Harness.peer(2), .blocked)))
        harness.settle()
        harness.link(9, of: personKeys(40, 41), in: [])
        harness.settle()
        let told = harness.node.mine.all
        let notes = try #require(harness.node.notes?.id)
        // Two rooms, one person, the profile, the device itself.
        #expect(told.count == 5 && told.allSatisfy { $0.state.isIn })
        #expect(harness.node.isJoinedOrWillBe(notes))
        let log = harness.node.conversations.table[known: notes].log(harness.node.ownLog)
        #expect(log.head.seq == 6)
        // Linked once more, nothing is left to say.
        harness.node.mine.offers = true
        harness.settle()
        harness.give(.timer(.search))
        harness.settle()
        #expect(
            harness.node.conversations.table[known: notes].log(harness.node.ownLog).head.seq == 6)
    }
}
