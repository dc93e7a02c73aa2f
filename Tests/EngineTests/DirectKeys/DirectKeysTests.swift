import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Keys of two people") struct DirectKeysTests {
    private static let id = ConversationID(fixed32(1))
    private static let (ada, bea) = (PersonID(fixed32(2)), PersonID(fixed32(3)))
    private static let people: Set<PersonID> = [ada, bea]
    private static let (here, there) = (
        OwnedDevice(person: ada, device: PeerID(fixed32(10))),
        OwnedDevice(person: bea, device: PeerID(fixed32(11)))
    )
    private static let stolen = OwnedDevice(person: ada, device: PeerID(fixed32(12)))
    private static let link = LinkID(7)

    private static func word(_ time: UInt64, stands: Bool = false) -> RevocationWord {
        RevocationWord(time: HybridTime(time), stands: stands)
    }

    private static func words(
        _ word: RevocationWord
    ) -> [PersonID: [PeerID: RevocationWord]] {
        [self.ada: [self.stolen.device: word]]
    }

    private static func item(_ time: UInt64) -> ActID {
        RevocationItem(of: self.stolen.device, by: self.ada, at: HybridTime(time)).id
    }

    private static func announcement(
        of key: Bytes32, _ basis: [ActID], by device: OwnedDevice = there
    ) -> EpochAnnouncement {
        EpochAnnouncement(
            of: key, in: self.id, by: device.device, basis: basis, people: self.people)
    }

    private static func held(
        _ number: UInt8, _ basis: [ActID], by device: OwnedDevice = there, isPlaced: Bool = true
    ) -> HeldEpoch {
        let told = self.announcement(of: fixed32(number), basis, by: device)
        return HeldEpoch(
            group: self.id,
            epoch: Epoch(
                id: told.id, maker: device.person, device: device.device, basis: basis,
                people: told.people), key: fixed32(number), isPlaced: isPlaced)
    }

    private func keys(
        _ held: [HeldEpoch], _ words: [PersonID: [PeerID: RevocationWord]]
    ) -> DirectKeys {
        var keys = DirectKeys()
        keys.restore(held, of: Self.id, for: Self.people)
        keys.choose(in: Self.id, of: Self.people, words, for: Self.here)
        return keys
    }

    @Test("that damage has taken are taken again by what is announced on the disk")
    func lost() throws {
        let one = Self.held(1, [Self.item(5)])
        let told = Self.announcement(of: fixed32(1), [Self.item(5)])
        var keys = DirectKeys()
        keys.restore(
            [], [AnnouncedEpoch(told, by: Self.bea, on: Self.there.device, isPlaced: true)],
            of: Self.id, for: Self.people)
        let given = keys.receive(
            [EpochKey(id: told.id, key: fixed32(1))], of: Self.id, on: Self.link)
        #expect(given == [one])
    }

    @Test("are none while nobody has revoked a device")
    func none() {
        let keys = self.keys([], [:])
        #expect(keys.keyToWrite(in: Self.id) == .root && !keys.isUsed)
    }

    @Test("name the word of a revocation so that a later one of the same device is told from it")
    func items() {
        let item = RevocationItem(Self.item(5))
        #expect(item.time == HybridTime(5) && item.id == Self.item(5))
        #expect(item.subject == RevocationItem(Self.item(6)).subject)
        let other = RevocationItem(of: Self.stolen.device, by: Self.bea, at: HybridTime(5))
        #expect(other.subject != item.subject)
    }

    @Test("of a stolen device take no room from its person's others once it is revoked")
    func stolenRoom() throws {
        var keys = self.keys([], [:])
        func announce(_ told: EpochAnnouncement, by device: OwnedDevice) -> HeldEpoch? {
            keys.announced(told, by: device, in: Self.id, of: Self.people)
        }
        for number in 0..<Limits.announcedKeysOfPerson {
            let bytes =
                [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 9, count: 30)
            let key = try #require(Bytes32(bytes))
            #expect(
                announce(
                    Self.announcement(of: key, [Self.item(1)], by: Self.stolen), by: Self.stolen)
                    == nil)
        }
        let laptop = OwnedDevice(person: Self.ada, device: PeerID(fixed32(13)))
        let told = Self.announcement(of: fixed32(200), [Self.item(5)], by: laptop)
        let given = keys.receive(
            [EpochKey(id: told.id, key: fixed32(200))], of: Self.id, on: Self.link)
        #expect(given.isEmpty)
        #expect(announce(told, by: laptop) == nil)
        keys.choose(in: Self.id, of: Self.people, Self.words(Self.word(5)), for: Self.here)
        #expect(announce(told, by: laptop)?.epoch.id == told.id)
    }

    @Test("are used where their makers knew each revocation that is known here, and no other")
    func use() {
        let one = Self.held(1, [Self.item(5)])
        #expect(self.keys([one], Self.words(Self.word(5))).keyToWrite(in: Self.id) == .use(one))
        // What its maker knew is not known here.
        #expect(self.keys([one], [:]).keyToWrite(in: Self.id) == .root)
        // The device stood again, might have been given it, and was revoked once more.
        let due = KeyToWrite.make(
            basis: [Self.item(9)], people: PersonID.digest(of: Self.people))
        #expect(self.keys([one], Self.words(Self.word(9))).keyToWrite(in: Self.id) == due)
        let standing = self.keys([one], Self.words(Self.word(9, stands: true)))
        #expect(standing.keyToWrite(in: Self.id) == .use(one))
        var more = Self.words(Self.word(5))
        more[Self.bea] = [PeerID(fixed32(13)): Self.word(6)]
        guard case .make(let basis, _) = self.keys([one], more).keyToWrite(in: Self.id) else {
            Issue.record("another key is due")
            return
        }
        #expect(basis.count == 2 && basis.contains(Self.item(5)))
    }

    @Test("are not used where a revoked device has made them, or their announcement is not here")
    func unusable() {
        let due = KeyToWrite.make(
            basis: [Self.item(5)], people: PersonID.digest(of: Self.people))
        for held in [
            Self.held(1, [Self.item(5)], by: Self.stolen),
            Self.held(2, [Self.item(5)], isPlaced: false),
        ] {
            #expect(self.keys([held], Self.words(Self.word(5))).keyToWrite(in: Self.id) == due)
        }
    }

    @Test("are given to devices that are not revoked, by whoever knows what their makers knew")
    func give() {
        let one = Self.held(1, [Self.item(5)])
        func given(_ word: RevocationWord?, to device: OwnedDevice) -> [Frame] {
            var keys = self.keys([one], word.map { Self.words($0) } ?? [:])
            return keys.give(of: Self.id, on: Self.link, to: device)
        }
        let frame = Frame.epochKeys(Self.id, [EpochKey(id: one.epoch.id, key: fixed32(1))])
        #expect(given(Self.word(5), to: Self.there) == [frame])
        #expect(given(Self.word(5), to: Self.stolen) == [])
        #expect(given(nil, to: Self.there) == [] && given(nil, to: Self.stolen) == [])
        #expect(given(Self.word(4), to: Self.there) == [])
        // It was the person's once more: then it may have what was made since.
        #expect(given(Self.word(6, stands: true), to: Self.stolen) == [frame])
    }

    @Test("are given once on a link, as many as are due")
    func due() {
        let all = (0..<(Limits.keysAtOnce + 1)).map { number in
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[0] = UInt8(number >> 8)
            bytes[1] = UInt8(number & 255)
            let key = Bytes32(bytes) ?? .zero
            let told = Self.announcement(of: key, [Self.item(5)])
            return HeldEpoch(
                group: Self.id,
                epoch: Epoch(
                    id: told.id, maker: Self.bea, device: Self.there.device, basis: told.basis,
                    people: told.people), key: key, isPlaced: true)
        }
        var keys = self.keys(all, Self.words(Self.word(5)))
        func count() -> Int {
            keys.give(of: Self.id, on: Self.link, to: Self.there).reduce(0) {
                guard case .epochKeys(_, let given) = $1 else { return $0 }
                return $0 + given.count
            }
        }
        #expect(count() == Limits.keysAtOnce && count() == 0)
        #expect(keys.giveMore(on: Self.link) == [Self.id])
        #expect(count() == 1 && keys.giveMore(on: Self.link) == [Self.id] && count() == 0)
        keys.endExchange(Self.id, on: Self.link)
        #expect(count() == Limits.keysAtOnce)
    }

    @Test("are taken once both have come, the key and what its maker's log tells of it")
    func take() {
        let (one, key) = (Self.held(1, [Self.item(5)], isPlaced: false), fixed32(1))
        let told = Self.announcement(of: key, [Self.item(5)])
        let given = EpochKey(id: told.id, key: key)
        var first = DirectKeys()
        let early = first.receive([given], of: Self.id, on: Self.link)
        #expect(early == [] && !first.isUsed)
        #expect(first.announced(told, by: Self.there, in: Self.id, of: Self.people) == one)
        var second = DirectKeys()
        #expect(second.announced(told, by: Self.there, in: Self.id, of: Self.people) == nil)
        let wrong = EpochKey(id: told.id, key: fixed32(2))
        #expect(second.receive([wrong], of: Self.id, on: Self.link) == [])
        #expect(second.receive([given], of: Self.id, on: LinkID(8)) == [one])
        // On its way to the disk.
        #expect(second.receive([given], of: Self.id, on: LinkID(9)) == [])
        #expect(second.stored([one])[Self.id] == [one])
        #expect(second.isOfAnother(told.id, than: Self.here.device, in: Self.id))
    }

    @Test("are taken by the right one of two things that a device says of them")
    func toldTwice() {
        let right = Self.announcement(of: fixed32(1), [Self.item(5)])
        let wrong = EpochAnnouncement(id: right.id, basis: [Self.item(6)], people: right.people)
        let given = EpochKey(id: right.id, key: fixed32(1))
        for told in [[right, wrong], [wrong, right]] {
            var keys = DirectKeys()
            for each in told {
                _ = keys.announced(each, by: Self.there, in: Self.id, of: Self.people)
            }
            keys.notePlaced(wrong, of: Self.id, by: Self.there.device)
            let due = Self.held(1, [Self.item(5)], isPlaced: false)
            #expect(keys.receive([given], of: Self.id, on: Self.link) == [due])
        }
    }

    @Test("are not taken where they are for other people, of somebody else, or too many")
    func refused() {
        let key = fixed32(1)
        let others = EpochAnnouncement(
            of: key, in: Self.id, by: Self.there.device, basis: [Self.item(5)],
            people: [Self.ada])
        var keys = DirectKeys()
        _ = keys.receive([EpochKey(id: others.id, key: key)], of: Self.id, on: Self.link)
        #expect(keys.announced(others, by: Self.there, in: Self.id, of: Self.people) == nil)
        let told = Self.announcement(of: key, [Self.item(5)])
        let stranger = OwnedDevice(person: PersonID(fixed32(4)), device: Self.there.device)
        #expect(keys.announced(told, by: stranger, in: Self.id, of: Self.people) == nil)
        #expect(!keys.isUsed)
        for number in 0..<UInt64(2 * Limits.announcedKeysOfPerson) {
            let flood = EpochAnnouncement(
                id: BLAKE2b.hash256("\(number)".utf8.span.bytes, personal: .people),
                basis: [Self.item(number)], people: PersonID.digest(of: Self.people))
            _ = keys.announced(flood, by: Self.there, in: Self.id, of: Self.people)
        }
        let count = keys.table[Self.id]?.announced.count
        #expect(count == Limits.announcedKeysOfPerson)
    }

    @Test("name of many revoked devices the newest")
    func many() {
        var devices: [PeerID: RevocationWord] = [:]
        for number: UInt8 in 1...64 {
            devices[PeerID(fixed32(100 + number))] = Self.word(UInt64(number))
        }
        let keys = self.keys([], [Self.ada: devices, Self.bea: devices])
        guard case .make(let basis, _) = keys.keyToWrite(in: Self.id) else {
            Issue.record("a key is due")
            return
        }
        #expect(basis.count == 60 && basis == basis.sorted())
        #expect(basis.allSatisfy { RevocationItem($0).time > HybridTime(34) })
    }
}
