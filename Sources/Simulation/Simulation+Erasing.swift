import Engine
import Formats
import Crypto

/// Messages that their authors want erased, and some that somebody else does.
extension Simulation {
    /// A person's keys, without a number from the seed: equal for equal devices.
    static func person(of signer: Signer) -> PersonKeys {
        let seed = BLAKE2b.hash256(signer.publicKey.bytes, personal: BLAKE2b.Personal("person"))
        let address = BLAKE2b.hash256(signer.publicKey.bytes, personal: BLAKE2b.Personal("address"))
        guard let keys = try? PersonKeys((seed.bytes + address.bytes).span.bytes) else {
            preconditionFailure("64 bytes make a person")
        }
        return keys
    }

    /// The certificate of a device, of the person whose first device is of another key, or the same.
    static func certificate(of signer: Signer, personOf first: Signer? = nil) -> Certificate {
        Self.person(of: first ?? signer).certify(signer, at: Self.epoch)
    }

    /// Makes a machine another device of the person whose device a machine is; neither runs yet.
    package func shareAPerson(_ machine: Int, with first: Int) {
        let certificate = Self.certificate(
            of: self.machines[machine].identity.signer,
            personOf: self.machines[first].identity.signer)
        self.machines[machine].identity.certificate = certificate
        self.machines[machine].identity.person = Self.person(
            of: self.machines[first].identity.signer)
        self.checker.persons[self.machines[machine].id] = certificate.personID
    }

    /// Notes what users erase; some of it right when they have written it.
    func scheduleErasures(_ workload: Workload) {
        for number in 0..<workload.erasures {
            let machine = self.dice.erasing.number(0...self.machines.count - 1)
            let room = self.room(self.dice.erasing.number(0...workload.rooms - 1)).conversation
            var moment = self.dice.erasing.number(0...workload.milliseconds)
            if self.dice.erasing.chance(40) {
                let outgoing = Outgoing(
                    conversation: room, text: "regretted \(number)")
                self.requestLater(machine, .send(outgoing), in: moment)
                moment += self.dice.erasing.number(UInt64(0)...50)
            }
            self.schedule(.erases(machine: machine, room), in: moment)
        }
        for _ in 0..<workload.expiries {
            let machine = self.dice.erasing.number(0...self.machines.count - 1)
            let room = self.room(self.dice.erasing.number(0...workload.rooms - 1)).conversation
            let moment = self.dice.erasing.number(0...workload.milliseconds)
            self.schedule(.expires(machine: machine, room), in: moment)
        }
        if workload.hasTwoDevices, self.machines.count > 2 {
            self.shareAPerson(self.machines.count - 1, with: 0)
        }
    }

    /// A user erases messages: mostly own ones of late, of whichever own log; now and then those of
    /// others, which must come to nothing.
    func erase(by index: Int, in room: ConversationID) throws {
        let machine = self.machines[index]
        guard machine.isUp else { return }
        let isMeddling = self.dice.erasing.chance(machine.adversary == nil ? 10 : 60)
        var found: [(time: HybridTime, target: EntryTarget)] = []
        for (key, log) in machine.store.logs where key.conversation == room {
            let isOwn =
                self.checker.persons[key.name.author] == self.checker.persons[machine.id]
            guard isOwn != isMeddling else { continue }
            for (offset, row) in log.rows.enumerated()
            // Who meddles wants control entries gone, too.
            where isMeddling || row.entry.entryClass != EntryClass.control.rawValue {
                let target = EntryTarget(log: key.name, seq: UInt64(offset) + 1, id: row.id)
                found.append((row.entry.time, target))
            }
        }
        found.sort {
            ($0.time, $0.target.log, $0.target.seq) < ($1.time, $1.target.log, $1.target.seq)
        }
        let reach = self.dice.erasing.chance(60) ? 3 : found.count
        var targets = found.suffix(reach).map(\.target).shuffled(using: &self.dice.erasing)
        let most = self.dice.erasing.chance(20) ? Limits.ownEraseTargets : 1
        targets = Array(targets.prefix(self.dice.erasing.number(1...most)))
        guard !targets.isEmpty else { return }
        try self.request(index, .erase(room, targets))
    }

    /// A user does not want to keep what is older than up to a minute.
    func expire(by index: Int, in room: ConversationID) throws {
        let age = self.dice.erasing.chance(50) ? 0 : self.dice.erasing.number(UInt64(0)...60_000)
        let time = HybridTime(wallMilliseconds: self.wall - age)
        guard self.machines[index].isUp, self.machines[index].store.rooms[room] != nil else {
            return
        }
        self.machines[index].expiry.cutOffs[room] = time
        self.machines[index].expiry.before[room] = max(
            time, self.machines[index].expiry.before[room] ?? time)
        try self.request(index, .expire(room, .before(time)))
    }
}
