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
            let log = LogName(author: word.author, incarnation: 1)
            self.data.take(word.entry, word.id, by: log, at: word.time, isBounded: true)
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

    // Shows: device.own
    @Test("is replaced whole, however many words a device has written that replace none")
    func unreplaced() throws {
        var one = Self.device(1, clock: 1_000)
        for number in UInt64(1)...200 {
            let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
            let entry = OwnEntry(set: Self.ada.set, item: Self.ada.item)
            one.take(
                Word(
                    entry: try #require(entry),
                    id: EntryID(BLAKE2b.hash256(bytes, personal: .markHead)),
                    author: Harness.peer(9), time: HybridTime(wallMilliseconds: number)))
        }
        one.follow()
        one.change(Self.ada, .init(isIn: false))
        #expect(one.data.state(of: Self.ada)?.isIn == false)
    }

    // Shows: device.own
    @Test("takes a bounded part of the memory, however much a device writes")
    func bounded() throws {
        var one = Self.device(1, clock: 1)
        let value = [UInt8](repeating: 1, count: Limits.ownValueBytes)
        let most = Limits.ownDeviceBytes / value.count
        for number in UInt64(0)...UInt64(most) {
            let item = OwnItem(
                .contacts,
                ConversationID(
                    BLAKE2b.hash256(
                        withUnsafeBytes(of: number.bigEndian) { Array($0) }, personal: .markHead)))
            let entry = OwnEntry(set: item.set, item: item.item, value: value)
            one.take(
                Word(
                    entry: try #require(entry), id: EntryID(try #require(item.key)),
                    author: Harness.peer(9), time: HybridTime(wallMilliseconds: number)))
        }
        #expect((most * 9 / 10..<most).contains(one.data.all.count))
        one.change(Self.ada, .init(isIn: true))
        #expect(one.data.state(of: Self.ada)?.isIn == true)
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
        harness.node.mine.offers = Set(OwnSet.allCases)
        harness.settle()
        harness.give(.timer(.search))
        harness.settle()
        #expect(
            harness.node.conversations.table[known: notes].log(harness.node.ownLog).head.seq == 6)
    }
}

@Suite("What another device of the user says")
struct FollowedDataTests {
    private static let own = personKeys(40, 41)
    private static let pat = Harness.peer(2)
    private var harness = Harness()
    private var request: UInt64 = 50
    private var words: UInt8 = 0

    /// Linked to Pat, and to another device of the user.
    init() {
        self.harness.link(2, in: [])
        self.harness.link(9, of: Self.own, in: [])
        self.harness.settle()
    }

    /// The user says something of Pat here.
    private mutating func stand(_ standing: Standing) {
        self.request += 1
        self.harness.give(.request(RequestID(self.request), .stand(Self.pat, standing)))
        self.harness.settle()
    }

    /// The other device says something.
    private mutating func tell(_ item: OwnItem, isIn: Bool = true, _ value: [UInt8] = []) throws {
        let state = OwnData.State(isIn: isIn, value: value)
        let entry = try #require(self.harness.node.mine.entry(item, state))
        self.words += 1
        self.harness.node.mine.take(
            entry, EntryID(fixed32(self.words)),
            by: LogName(author: Harness.peer(9), incarnation: 1),
            at: HybridTime(wallMilliseconds: self.harness.now.wall), isBounded: true)
        self.harness.node.followOwn()
        self.harness.give(.timer(.search))
        self.harness.settle()
    }

    private func told(_ set: OwnSet) -> OwnData.State? {
        self.harness.node.mine.state(of: OwnItem(set, Self.pat))
    }

    // Shows: device.own
    @Test("blocks those whose profile leaves no room for their keys")
    func longProfile() throws {
        var test = self
        var writer = WireWriter()
        writer.raw(Profile(name: "Pat", status: "").encoded)
        writer.field(100, [UInt8](repeating: 1, count: 4_000))
        let profile = Record(
            kind: Record.Kind.profile, author: Self.pat, conversation: nil,
            time: HybridTime(wallMilliseconds: test.harness.now.wall), value: writer.bytes,
            signer: signer(2))
        test.harness.give(.records([profile]), from: 2)
        test.harness.settle()
        #expect(test.harness.node.record(profile.key) == profile)
        test.stand(.known)
        test.stand(.blocked)
        #expect(test.told(.blocked)?.isIn == true && test.told(.contacts)?.isIn == false)
        #expect(test.harness.node.standing(of: Self.pat) == .blocked)
    }

    // Shows: device.own
    @Test(
        "undoes no block and no ✓ of which nothing was ever told",
        arguments: [Standing.blocked, .verified])
    func untold(standing: Standing) throws {
        var test = self
        test.harness.node.mine.isShared = false
        test.stand(standing)
        test.harness.node.mine.isShared = true
        #expect(test.told(.blocked) == nil && test.told(.verified) == nil)
        try test.tell(OwnItem(.contacts, Self.pat), OwnContact(person: nil, profile: nil).encoded)
        #expect(test.harness.node.standing(of: Self.pat) == standing)
    }

    // Shows: device.own
    @Test("is answered by a newer device with whom it has blocked and verified, and with no more")
    func newer() throws {
        var harness = Harness()
        harness.join(room("ops"))
        harness.link(2, in: [])
        harness.link(3, in: [])
        harness.give(.request(RequestID(50), .stand(Self.pat, .blocked)))
        harness.give(.request(RequestID(51), .stand(Harness.peer(3), .verified)))
        harness.settle()
        let older = Self.own.certify(signer(9), at: 1)
        var info = LinkInfo(to: Harness.peer(9), of: Self.own, boot: 9)
        info.certificate = older
        harness.give(.linkOpened(LinkID(9), info, address: "192.0.2.9:4100", dial: nil))
        harness.settle()
        let told = harness.node.mine.all.map(\.item)
        #expect(
            told == [
                OwnItem(.verified, Harness.peer(3)), OwnItem(.blocked, Self.pat),
                OwnItem(.devices, harness.node.id),
            ])
    }

    // Shows: device.own
    @Test("turns no conversation over to somebody else than the person whose device is known")
    func anothersKeys() throws {
        var test = self
        let mallory = personKeys(80, 81).publicKeys
        let known = try #require(test.harness.node.person(of: Self.pat))
        let direct = try DirectConversation(of: Self.own, with: mallory, at: Self.pat)
        try test.tell(
            OwnItem(.conversations, direct.id), OwnPlace.direct(Self.pat, mallory).encoded)
        #expect(!test.harness.node.isJoinedOrWillBe(direct.id))
        #expect(test.harness.node.direct(with: Self.pat)?.person.id == known)
        let contact = OwnContact(person: Self.own.publicKeys, profile: nil)
        try test.tell(OwnItem(.contacts, Harness.peer(30)), contact.encoded)
        #expect(!test.harness.node.isOwnDevice(Harness.peer(30)))
    }

    // Shows: device.own
    @Test("does not undo what was joined while the store was failing")
    func resting() {
        var test = self
        let lab = room("lab")
        test.harness.give(.request(RequestID(80), .stand(Self.pat, .known)))
        test.harness.batch = nil
        test.harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
        test.harness.join(lab)
        #expect(test.harness.batch?.membership[lab.conversation]?.isJoined == true)
        test.harness.settle()
        let item = OwnItem(.conversations, lab.conversation)
        #expect(test.harness.node.mine.state(of: item)?.isIn == true)
        #expect(test.told(.contacts) == nil)
    }

    // Shows: device.own
    @Test("is told of a group as soon as it is founded here")
    func founds() {
        var test = self
        test.harness.give(
            .request(RequestID(80), .groupCreate(room("ops").name, .open, .all)))
        test.harness.settle()
        let groups = test.harness.node.groups.table.keys
        #expect(groups.count == 1)
        #expect(
            groups.allSatisfy {
                test.harness.node.mine.state(of: OwnItem(.conversations, $0))?.isIn == true
            })
    }

    // Shows: device.own
    @Test("to be read counts no longer once that device is revoked")
    func revokedReads() {
        var test = self
        let key = LogKey(
            conversation: room("ops").conversation,
            name: LogName(author: Self.pat, incarnation: 1))
        let row = Mark.Row(tag: Mark.tag(of: key), stored: 1 << 60, read: 1 << 60, headTag: 0)
        test.harness.node.mine.reads.take(Mark(rows: [row]))
        test.harness.give(.request(RequestID(80), .revokeDevice(Harness.peer(9))))
        test.harness.settle()
        #expect(test.harness.node.mine.reads.read(of: key) == 0)
    }

    // Shows: device.own
    @Test("ends the request of somebody who is blocked there")
    func blockedRequest() throws {
        var test = self
        let person = try #require(test.harness.node.keys(of: Self.pat))
        test.harness.node.take(
            DirectRequest(
                device: Self.pat, person: person, text: "hello", time: 1, source: "192.0.2.2"))
        #expect(test.harness.node.pendingRequests.count == 1)
        try test.tell(OwnItem(.blocked, Self.pat))
        #expect(test.harness.node.standing(of: Self.pat) == .blocked)
        #expect(test.harness.node.pendingRequests.isEmpty)
    }
}
