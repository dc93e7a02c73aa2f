import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The room for keys of one member")
struct KeyRoomTests {
    private static let olga = LinkID(2)

    private static func key(_ number: Int) -> Bytes32 {
        fixed32([UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 7, count: 30))
    }

    /// Mallory makes a key that others use, and Olga passes it on.
    private func scene() -> (scene: HostileScene, right: EpochAnnouncement, given: Frame) {
        var scene = HostileScene()
        scene.connect(to: scene.olga, on: Self.olga)
        let right = scene.made(Self.key(999), by: scene.mallory)
        let key = EpochKey(id: right.id, key: Self.key(999))
        return (scene, right, .epochKeys(scene.group.id, [key]))
    }

    // Shows: daemon.group-members
    @Test("is full of wrong announcements, and one that others use is taken, whichever comes first")
    func full() {
        for isKeyFirst in [true, false] {
            var (scene, right, given) = self.scene()
            for number in 0..<Limits.announcedKeysOfPerson {
                let wrong = EpochAnnouncement(
                    id: Self.key(number), basis: right.basis, people: .zero)
                #expect(scene.announce(wrong, by: scene.mallory) == 0)
            }
            let log = LogName(author: scene.mallory.device, incarnation: 1)
            var logs = GroupLogs()
            _ = logs.hold(log, WaitingLog(seq: 7, reason: .key(right.id)))
            logs.noteRead(log, through: 9)
            func look() -> [LogName] {
                logs.readOn(
                    scene.groups.mistold(logs.keysAwaited, in: scene.group.id), all: false)
            }
            if !isKeyFirst {
                #expect(scene.announce(right, by: scene.mallory) == 0)
                #expect(scene.state.announced[right.id] == nil)
            }
            let isReadBefore = !look().isEmpty
            #expect(!isReadBefore)
            #expect(scene.receive(given, on: Self.olga).written == 0)
            let isReadAgain = look() == [log]
            #expect(isReadAgain && logs.read(of: log) == 0)
            #expect(scene.announce(right, by: scene.mallory) == 1)
            #expect(scene.state.epochs[right.id]?.key == Self.key(999))
        }
    }

    // Shows: daemon.group-members
    @Test("is taken by keys that nobody can use, too, however many are given and announced")
    func unusable() {
        var (scene, right, _) = self.scene()
        for number in 0..<2 * Limits.announcedKeysOfPerson {
            let wrong = EpochAnnouncement(
                of: Self.key(number), in: scene.group.id, by: scene.mallory.device,
                basis: right.basis, people: [scene.olga.id])
            let key = EpochKey(id: wrong.id, key: Self.key(number))
            _ = scene.receive(.epochKeys(scene.group.id, [key]))
            #expect(scene.announce(wrong, by: scene.mallory) == 0)
        }
        #expect(scene.state.announced.count == Limits.announcedKeysOfPerson)
    }

    // Shows: daemon.group-members
    @Test("is full of keys whose logs are not here, and one that somebody else gives is taken")
    func passedOn() {
        var (scene, right, given) = self.scene()
        for number in 0..<Limits.unplacedKeysOfPerson {
            let made = scene.made(Self.key(number), by: scene.mallory)
            let key = EpochKey(id: made.id, key: Self.key(number))
            _ = scene.receive(.epochKeys(scene.group.id, [key]))
            #expect(scene.announce(made, by: scene.mallory) == 1)
        }
        _ = scene.receive(given)
        #expect(scene.announce(right, by: scene.mallory) == 0)
        #expect(scene.receive(given, on: Self.olga).written == 1)
    }
}
