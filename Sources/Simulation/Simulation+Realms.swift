package import Engine
package import Formats

/// Realms: some machines share a secret that the others do not have, and now and then a new one.
extension Simulation {
    /// Puts some machines into a realm, which all rooms but the first belong to then.
    package func makeRealm(_ members: [Int]) {
        guard let name = RealmName("office") else { preconditionFailure("office names a realm") }
        let realm = Realm.make(name, using: &self.random)
        self.story.realm = realm
        for number in 0..<Workload.mostRooms {
            let room = self.room(number)
            self.checker.realms[room.conversation] = room.realm
        }
        for member in members { self.machines[member].access.realms = Realms([realm]) }
    }

    /// A room of the workload: the first is in the open realm, the others are where there is one.
    package func room(_ number: Int) -> Room {
        let room = Workload.room(number)
        guard number > 0, let realm = self.story.realm else { return room }
        return Room(room.name, in: realm.id)
    }

    /// Gives the members a new secret, one after the other; the old one counts for a while longer.
    package func renewRealm(from begin: UInt64, within milliseconds: UInt64, lasting: UInt64) {
        guard let realm = self.story.realm else { return }
        let renewed = realm.renewed(
            until: self.wall + begin + milliseconds + lasting, using: &self.random)
        for machine in self.machines.indices
        where self.machines[machine].access.realms.contains(realm.id) {
            self.schedule(
                .fault(.realms(machine: machine, Realms([renewed]))),
                in: begin + self.random.number(0...milliseconds))
        }
    }

    /// Changes what realms a machine is in.
    package func setRealms(_ machine: Int, _ realms: Realms) throws {
        self.machines[machine].access.realms = realms
        guard self.machines[machine].isUp else { return }
        try self.tell(machine, .realms(realms))
        try self.sendTouched()
    }

    /// Joins a room later, if the machine is in its realm.
    func joinLater(_ machine: Int, _ room: Room, in milliseconds: UInt64) {
        guard self.machines[machine].access.realms.contains(room.realm) else { return }
        self.requestLater(machine, .join(room), in: milliseconds)
    }
}
