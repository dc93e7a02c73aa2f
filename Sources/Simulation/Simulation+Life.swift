import Engine
import Formats

/// Machines that start, stop, are found and move.
extension Simulation {
    /// Starts a machine's node from its disk.
    package func start(_ index: Int, isContinuous: Bool = true) throws {
        guard !self.machines[index].isUp, !self.machines[index].fate.isRetired else { return }
        self.machines[index].start += 1
        self.machines[index].fate.actionsUntilCrash = nil
        self.machines[index].expiry.cutOffs = [:]
        try self.checker.started(self.machines[index])
        self.checker.forgotWhatCame(index)
        let boot = self.random.next()
        self.machines[index].boot = boot
        self.lastNumber += 1
        self.machines[index].serviceName = "s\(self.lastNumber)"
        var statics: [StaticPeer] = []
        if self.faults.hasStaticPeers {
            for other in self.machines where self.meets(index, other.index) {
                guard self.random.chance(50), let address = other.addresses.last else { continue }
                statics.append(
                    StaticPeer(address: address, key: self.random.chance(50) ? other.id : nil))
            }
        }
        let machine = self.machines[index]
        var configuration = NodeConfiguration(
            name: "n\(index)", staticPeers: statics, buildTime: Self.built,
            realms: machine.access.realms,
            preferences: NodePreferences(
                autoFetchBytes: machine.files.autoFetchBytes, tellsPresence: self.checker.signals,
                tellsTyping: self.checker.signals), diskBounds: self.bounds.disk)
        configuration.linkBudget = self.bounds.links
        configuration.logBounds = self.bounds.logs
        configuration.recordBounds = self.bounds.records
        self.machines[index].node = Node(
            signer: machine.identity.signer, certificate: machine.identity.certificate,
            person: machine.identity.person,
            boot: boot, configuration: configuration,
            snapshot: machine.store.snapshot(isContinuous: isContinuous),
            keyring: machine.access.keyring, random: self.machines[index].random.split())
        try self.tell(index, .started)
        if self.story.hasFiles { self.takeUpFiles(index) }
        for other in self.machines where other.isUp && self.meets(index, other.index) {
            self.noteDiscovery(of: other.index, by: index)
            self.noteDiscovery(of: index, by: other.index)
        }
        // Discovery shows a node itself, too.
        if self.network.neighbours == nil { self.noteDiscovery(of: index, by: index) }
        try self.sendTouched()
    }

    /// Whether two machines can discover each other.
    func meets(_ one: Int, _ other: Int) -> Bool {
        guard one != other else { return false }
        return self.network.neighbours?[one].contains(other) ?? true
    }

    /// Notes that discovery will tell one machine of another.
    func noteDiscovery(of other: Int, by index: Int) {
        self.schedule(
            .found(
                machine: index, start: self.machines[index].start, other: other,
                otherStart: self.machines[other].start),
            in: self.random.number(UInt64(5)...900))
    }

    func discover(_ index: Int, _ start: Int, _ other: Int, _ otherStart: Int) throws {
        guard self.isRunning(index, start), self.isRunning(other, otherStart) else { return }
        if self.isBlocked(other, index) || self.isBlocked(index, other) {
            self.schedule(
                .found(machine: index, start: start, other: other, otherStart: otherStart),
                in: 2_000)
            return
        }
        let service = Service(
            name: self.machines[other].serviceName,
            addresses: self.faults.hasTwoAddresses
                ? self.machines[other].addresses : [self.machines[other].addresses[0]])
        try self.tell(index, .found(service))
    }

    /// Stops a machine at once; what its disk had not finished may be there or not.
    ///
    /// - Parameter isSilent: power loss, so that nobody is told; otherwise the streams end.
    package func crash(_ index: Int, isSilent: Bool) throws {
        guard self.machines[index].isUp else { return }
        if let batch = self.machines[index].writing.take(), !self.machines[index].isDiskFull,
            self.random.chance(50)
        {
            _ = try self.write(batch, index)
        }
        let start = self.machines[index].start
        self.machines[index].fate.actionsUntilCrash = nil
        self.machines[index].node = nil
        self.machines[index].timers = [:]
        self.machines[index].requests = [:]
        self.machines[index].dials = [:]
        self.machines[index].wires = [:]
        self.stopFiles(index, hasPower: !isSilent)
        for number in self.network.wires.keys.sorted() {
            for side in 0...1 {
                guard let end = self.network.wires[number]?.ends[side], end.machine == index,
                    end.start == start, !end.isGone
                else { continue }
                self.network.wires[number]?.directions[side].lanes = [:]
                if isSilent {
                    self.network.wires[number]?.ends[side].isGone = true
                    self.network.wires[number]?.ends[side].session = nil
                    self.forgetIfOver(number)
                } else {
                    self.leave(number, side)
                }
            }
        }
        for other in self.machines where other.isUp && self.meets(index, other.index) {
            self.schedule(
                .lost(
                    machine: other.index, start: other.start,
                    name: self.machines[index].serviceName),
                in: self.random.number(UInt64(100)...150_000))
        }
    }

    /// Kills a node between two of its actions: those before have been done, the others have not.
    func fall(_ index: Int) throws {
        try self.crash(index, isSilent: self.random.chance(40))
        self.schedule(.fault(.start(machine: index)), in: self.random.number(UInt64(10)...60_000))
    }

    /// Gives a machine other addresses; streams from and to the old ones fall silent.
    func move(_ index: Int) throws {
        let old = self.machines[index].addresses
        for address in old where self.network.listeners[address] == index {
            self.network.listeners[address] = nil
        }
        self.network.addressCount += 1
        var new = [
            "10.9.\(self.network.addressCount / 250).\(self.network.addressCount % 250 + 1):7000",
            "[fd09::\(self.network.addressCount)]:7000",
        ]
        // Now and then an address is one that somebody had before, and may be known by.
        if self.random.chance(40),
            let free = self.network.vacated.randomElement(using: &self.random)
        {
            new[0] = free
            self.network.vacated.removeAll { $0 == free }
        }
        self.network.vacated.append(old[0])
        self.machines[index].addresses = new
        for address in new { self.network.listeners[address] = index }
        for (number, wire) in self.network.wires
        where wire.ends.contains(where: { $0.machine == index }) {
            self.network.wires[number]?.isDead = true
        }
        guard self.machines[index].isUp else { return }
        try self.tell(index, .networkChanged)
        for other in self.machines where other.isUp && self.meets(index, other.index) {
            self.noteDiscovery(of: index, by: other.index)
        }
    }
}
