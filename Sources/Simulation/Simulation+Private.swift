package import Engine
package import Formats
import Crypto

/// Conversations of two people, and what the simulator knows of them without being told.
extension Simulation {
    /// The direct conversation of the people of two machines, as the first one has it.
    package func direct(_ one: Int, _ other: Int) -> DirectConversation {
        let (own, peer) = (self.machines[one], self.machines[other])
        let made = try? DirectConversation(
            of: own.identity.person, with: peer.identity.certificate.keys, at: peer.id)
        guard let made else { preconditionFailure("keys of machines can be used") }
        return made
    }

    /// Its id, which both have.
    package func directID(_ one: Int, _ other: Int) -> ConversationID {
        let pair = [one, other].sorted()
        if let known = self.story.directs[pair] { return known }
        let id = self.direct(one, other).id
        self.story.directs[pair] = id
        return id
    }

    /// A user writes to another one, and begins their conversation by it.
    package func send(_ text: String, from machine: Int, toPersonOf other: Int) throws {
        try self.request(machine, .beginDirect(self.machines[other].id))
        let id = self.directID(machine, other)
        try self.request(machine, .send(Outgoing(conversation: id, text: text)))
    }

    /// Who waits to be accepted on a running node.
    package func pendingRequests(on machine: Int) -> [DirectRequest] {
        self.machines[machine].node?.pendingRequests ?? []
    }

    /// Notes what users write to one another, of which some let others in and some do not, and some forget who wrote.
    func scheduleDirects(_ workload: Workload) {
        // Nobody passes on what is for one person: each must meet each.
        guard self.network.neighbours == nil else { return }
        var random = SeededRandom(seed: UInt64(workload.messages) << 24 ^ workload.milliseconds)
        var forgetting = SeededRandom(seed: UInt64(workload.messages) << 25 ^ workload.milliseconds)
        for number in 0..<workload.directs {
            let machine = random.number(0...self.machines.count - 1)
            let other = random.number(0...self.machines.count - 1)
            let moment = random.number(0...workload.milliseconds)
            self.requestLater(machine, .beginDirect(self.machines[other].id), in: moment)
            let outgoing = Outgoing(
                conversation: self.directID(machine, other), text: "direct \(number)")
            self.requestLater(machine, .send(outgoing), in: moment + random.number(UInt64(0)...50))
            let answer = random.number(moment...workload.milliseconds)
            let peer = self.machines[machine].id
            if random.chance(40) {
                self.requestLater(other, .accept(peer), in: answer)
            } else if random.chance(20) {
                self.requestLater(other, .decline(peer), in: answer)
            }
            if forgetting.chance(20), machine != other {
                let moment = forgetting.number(moment...workload.milliseconds)
                self.requestLater(other, .forget(peer), in: moment)
                if forgetting.chance(50) {
                    let again = forgetting.number(moment...workload.milliseconds)
                    self.requestLater(other, .accept(peer), in: again)
                }
            }
        }
    }

    package func secretRoom(_ number: Int) -> SecretRoom {
        let suite: ConversationKey.Suite =
            number.isMultiple(of: 2) ? .xchacha20Poly1305 : .aes256GCM
        guard let name = RoomName("secret\(number)") else {
            preconditionFailure("a small word and a number make a room name")
        }
        let root = BLAKE2b.hash256([UInt8(number)])
        let room = SecretRoom(
            realm: .open, name: name, suite: suite.isAvailable ? suite : .xchacha20Poly1305,
            root: root)
        return room
    }

    /// Notes what users write in secret rooms, into which some come and which some leave.
    func scheduleSecrets(_ workload: Workload) {
        var random = SeededRandom(seed: UInt64(workload.secrets) << 40 ^ workload.milliseconds)
        for number in 0..<workload.secrets {
            // Whoever is one of the first half may be in the first room, and so on.
            let room = random.number(0...1)
            let half = (self.machines.count + 1) / 2
            let machine = (room * half + random.number(0...half - 1)) % self.machines.count
            let secret = self.secretRoom(room)
            let moment = random.number(0...workload.milliseconds)
            self.requestLater(machine, .joinSecret(secret), in: moment)
            let outgoing = Outgoing(conversation: secret.id, text: "secret \(number)")
            self.requestLater(machine, .send(outgoing), in: moment + random.number(UInt64(0)...50))
            if random.chance(15) {
                self.requestLater(
                    machine, .leave(secret.id), in: random.number(moment...workload.milliseconds))
            }
        }
    }

    /// Notes which conversations a side of a wire has been shown by tags.
    func noteShares(_ tags: [UInt64], _ number: Int, _ side: Int) {
        guard let wire = self.network.wires[number] else { return }
        let sender: LinkRole = side == 0 ? .responder : .initiator
        // Two devices of one person share that person's conversations with others.
        for id in self.story.begun {
            if tags.contains(LinkTags.share(id, by: sender, exporter: wire.exporter)) {
                self.network.wires[number]?.directions[side].announced.insert(id)
                self.network.wires[number]?.directions[side].leftEarly.remove(id)
            } else if self.network.wires[number]?.directions[side].announced.remove(id) != nil,
                let direction = self.network.wires[number]?.directions[side],
                self.time <= direction.readBy
            {
                self.network.wires[number]?.directions[side].leftEarly.insert(id)
            }
        }
    }

    /// Takes note of the keys of what a machine begins or enters.
    func noteKeys(of batch: Batch, on machine: Int) {
        for (id, membership) in batch.membership where membership.kind.room == nil {
            self.story.begun.insert(id)
            self.machines[machine].access.keyring.add(membership.kind)
            self.checker.keyring.add(membership.kind)
            self.checker.keyHolders[id, default: []].insert(machine)
            self.checker.groups.table[id] = membership.kind.group
        }
        for held in batch.groups.epochs {
            guard let group = self.checker.groups.table[held.group],
                let key = ConversationKey(of: held, in: group)
            else { continue }
            self.checker.keyring.add(key)
            self.checker.groups.holders[key.id, default: []].insert(machine)
        }
    }
}
