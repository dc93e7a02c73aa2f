import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Keys of a group")
struct GroupKeyTests {
    private let golden = GoldenGroups(GoldenStory())

    private var group: ConversationID {
        guard let act = self.golden.acts["create"] else { preconditionFailure("it is founded") }
        return act.group
    }

    @Test("are of the device, the basis and the people that their id commits to, and of no others")
    func announced() {
        let announced = self.golden.announcement
        #expect(announced.isOf(GoldenGroups.key, in: self.group, by: self.golden.ada.peer))
        #expect(!announced.isOf(fixed32(1), in: self.group, by: self.golden.ada.peer))
        #expect(!announced.isOf(GoldenGroups.key, in: self.group, by: self.golden.bea.peer))
        let elsewhere = ConversationID(fixed32(1))
        #expect(!announced.isOf(GoldenGroups.key, in: elsewhere, by: self.golden.ada.peer))
        let people = [self.golden.ada.id, self.golden.bea.id]
        for (basis, people) in [
            (Array(announced.basis.prefix(1)), people + [self.golden.cyn.id]),
            (announced.basis, people),
        ] {
            let other = EpochAnnouncement(
                of: GoldenGroups.key, in: self.group, by: self.golden.ada.peer, basis: basis,
                people: people)
            #expect(other.id != announced.id)
        }
    }

    @Test("fit an entry with the longest basis, and are found whichever way people are listed")
    func longest() {
        let people = (1...200).map {
            PersonID(fixed32([UInt8($0)] + [UInt8](repeating: 0, count: 31)))
        }
        let announced = EpochAnnouncement(
            of: GoldenGroups.key, in: self.group, by: self.golden.ada.peer,
            basis: (1...60).map { ActID(fixed32($0)) }, people: people)
        #expect(Content.epoch(announced).body.count < 2_048)
        #expect(PersonID.digest(of: people.reversed()) == announced.people)
    }

    @Test("that are sealed open for their device alone, and for their own group and epoch")
    func sealed() throws {
        let sealed = self.golden.sealedKey
        func address(_ byte: UInt8) throws -> AgreementKey {
            AgreementKey(try SecretKey([UInt8](repeating: byte, count: 32).span.bytes))
        }
        let due = EpochKey(id: self.golden.announcement.id, key: GoldenGroups.key)
        #expect(sealed.isValid(in: self.group))
        #expect(sealed.opened(in: self.group, with: try address(0xb3)) == due)
        #expect(sealed.opened(in: self.group, with: try address(0xa3)) == nil)
        let elsewhere = ConversationID(fixed32(1))
        #expect(!sealed.isValid(in: elsewhere))
        #expect(sealed.opened(in: elsewhere, with: try address(0xb3)) == nil)
    }

    @Test("that are sealed are refused when any of their bytes is changed")
    func changed() throws {
        var writer = WireWriter()
        self.golden.sealedKey.write(to: &writer)
        for index in writer.bytes.indices {
            var bytes = writer.bytes
            bytes[index] ^= 1
            var reader = WireReader(bytes)
            #expect(try !SealedKey(from: &reader).isValid(in: self.group), "byte \(index)")
        }
    }

    @Test("are sealed to no address that shares its secret with everybody")
    func smallOrder() {
        var random = SeededRandom(seed: 1)
        #expect(
            SealedKey(
                EpochKey(id: .zero, key: .zero), of: self.group, to: self.golden.bea.peer,
                at: .zero, by: self.golden.ada.device, using: &random) == nil)
    }
}
