internal import Engine
package import Formats
import Crypto

/// Rooms whose members seal what they write.
///
/// Some machines lack the key: they store and relay what they cannot read, and what they write there
/// the others cannot read.
extension Simulation {
    /// Makes a room such a one, before anybody has joined it.
    package func seal(_ room: Room) {
        let suites = ConversationKey.Suite.allCases.filter(\.isAvailable)
        guard let key = try? SecretKey(Self.bytes32(&self.random).span.bytes),
            let suite = suites.randomElement(using: &self.random),
            let made = try? ConversationKey(key, suite: suite, of: room.conversation)
        else { preconditionFailure("32 bytes are a key, and the suite is there") }
        self.story.roomKeys[room.conversation] = made
        self.checker.keyring.use(made)
        for machine in self.machines.indices { self.giveKey(of: room.conversation, to: machine) }
    }

    /// Gives a machine that comes later the keys of some rooms.
    func giveKeys(to machine: Int) {
        for room in self.story.roomKeys.keys.sorted() { self.giveKey(of: room, to: machine) }
    }

    /// Gives a machine a key or not; two with one identity have the same.
    private func giveKey(of room: ConversationID, to machine: Int) {
        guard let key = self.story.roomKeys[room] else { return }
        let first = self.machines.firstIndex { $0.id == self.machines[machine].id }
        let hasKey =
            first == machine
            ? self.random.chance(80)
            : first.map { self.machines[$0].access.keyring.current(in: room) != nil } ?? false
        guard hasKey else { return }
        self.machines[machine].access.keyring.use(key)
        self.checker.keyHolders[room, default: []].insert(machine)
    }
}
