internal import Engine
package import Formats

/// What users do, drawn by chance.
package struct Workload: Sendable {
    /// How many rooms there are.
    package var rooms = 1
    /// The rooms whose members seal what they write, as far as they have the key.
    package var sealedRooms: [Int] = []
    /// How many messages all users send.
    package var messages = 40
    /// Within how many milliseconds.
    package var milliseconds: UInt64 = 60_000
    /// How many percent of messages are large.
    package var large = 3
    /// How many percent of messages come in a burst of many.
    package var bursts = 5
    /// How many users leave or come back.
    package var moves = 2
    /// How many short messages one user sends within a second, which others then catch up with.
    package var avalanche = 0
    /// How often users erase messages.
    package var erasures = 0
    /// How often users have what is older than some time expire.
    package var expiries = 0
    /// How often users write to one another.
    package var directs = 0
    /// How often users enter a secret room, or write there.
    package var secrets = 0
    /// Whether one person has two devices.
    package var hasTwoDevices = false
    /// How often users say that they are there or away, or write; 0 where all keep that to themselves.
    package var signals = 0
    /// How many files users send.
    package var files = 0
    /// How often somebody says something of a message.
    package var references = 0
    /// How many streams programs send.
    package var streams = 0
    /// How many groups users found, and how often they do something in each.
    package var groups = 0
    package var groupDeeds = 0
    /// Those of them in which newcomers read only what is written once they are in.
    package var joinedGroups: Set<Int> = []

    /// A plain workload.
    package init() {}

    /// Draws how much is done.
    package init(using random: inout SeededRandom) {
        self.rooms = random.chance(50) ? 1 : random.number(2...4)
        self.sealedRooms = (0..<self.rooms).filter { _ in random.chance(25) }
        self.messages = random.chance(20) ? random.number(100...400) : random.number(5...80)
        self.large = random.chance(20) ? random.number(0...60) : 3
        self.bursts = random.chance(20) ? random.number(0...60) : 5
        self.milliseconds = random.number(UInt64(2_000)...120_000)
        self.moves = random.chance(40) ? random.number(1...5) : 0
        self.avalanche = random.chance(8) ? random.number(300...1_500) : 0
        // Drawn apart, so that seeds without erasures stay as they are.
        var erasing = SeededRandom(seed: UInt64(self.messages) << 32 | self.milliseconds)
        self.erasures = erasing.chance(50) ? erasing.number(1...40) : 0
        self.expiries = erasing.chance(30) ? erasing.number(1...12) : 0
        self.directs = erasing.chance(50) ? erasing.number(1...20) : 0
        self.secrets = erasing.chance(40) ? erasing.number(2...30) : 0
        self.hasTwoDevices = self.erasures > 0 && erasing.chance(40)
        // Drawn apart once more, so that seeds without them stay as they are.
        var signalling = SeededRandom(seed: self.milliseconds << 20 ^ UInt64(self.messages) ^ 1)
        self.signals = signalling.chance(25) ? signalling.number(1...60) : 0
        self.drawFiles(in: 25, of: self.milliseconds << 20 ^ UInt64(self.messages))
        self.drawStreams(in: 20, of: self.milliseconds << 20 ^ UInt64(self.messages))
    }

    /// Draws how many files are sent in so many of a hundred seeds; in the others none, so that these
    /// stay as they are.
    mutating func drawFiles(in percent: Int, of seed: UInt64) {
        var filing = SeededRandom(seed: seed ^ 0xf11e)
        self.files = filing.chance(percent) ? filing.number(2...10) : 0
    }

    /// Draws how many streams are sent, in the same way.
    mutating func drawStreams(in percent: Int, of seed: UInt64) {
        var streaming = SeededRandom(seed: seed ^ 0x57eb)
        self.streams = streaming.chance(percent) ? streaming.number(1...10) : 0
    }

    /// Draws how many groups there are, and how much is done in them.
    mutating func drawGroups(of seed: UInt64) {
        var grouping = SeededRandom(seed: seed ^ 0x964a)
        self.groups = grouping.chance(70) ? 1 : 2
        self.groupDeeds =
            grouping.chance(20) ? grouping.number(100...250) : grouping.number(20...80)
        self.joinedGroups = Set((0..<self.groups).filter { _ in grouping.chance(40) })
    }

    /// The most rooms that there are.
    package static let mostRooms = 6

    /// A room of the open realm.
    package static func room(_ number: Int) -> Room {
        guard let name = RoomName("room\(number)") else {
            preconditionFailure("a small word and a number make a room name")
        }
        return Room(name, in: .open)
    }
}

extension Simulation {
    /// Notes what the users of all machines do.
    package func schedule(_ workload: Workload) {
        self.scheduleErasures(workload)
        self.scheduleReferences(workload)
        self.scheduleDirects(workload)
        self.scheduleSecrets(workload)
        self.scheduleSignals(workload)
        self.scheduleFiles(workload)
        self.scheduleStreams(workload)
        self.scheduleGroups(workload)
        for machine in self.machines.indices {
            for room in 0..<workload.rooms where room == 0 || self.random.chance(70) {
                self.joinLater(
                    machine, self.room(room),
                    in: self.random.number(0...workload.milliseconds / 4))
            }
        }
        var count = 0
        while count < workload.messages {
            let machine = self.random.number(0...self.machines.count - 1)
            let room = self.room(self.random.number(0...workload.rooms - 1)).conversation
            let moment = self.random.number(0...workload.milliseconds)
            let burst = self.random.chance(workload.bursts) ? self.random.number(2...40) : 1
            for _ in 0..<burst {
                count += 1
                let size = self.random.chance(workload.large) ? self.random.number(1...60_000) : 0
                let outgoing = Outgoing(
                    conversation: room,
                    text: "message \(count)" + String(repeating: "x", count: size),
                    idempotencyKey: self.random.chance(20) ? "key \(count)" : nil,
                    wait: self.random.chance(10)
                        ? DeliveryWait(self.goal(count), by: 5_000) : nil)
                self.requestLater(machine, .send(outgoing), in: moment)
                if outgoing.idempotencyKey != nil && self.random.chance(50) {
                    self.requestLater(
                        machine, .send(outgoing),
                        in: moment + self.random.number(UInt64(0)...2_000))
                }
            }
        }
        self.scheduleReads(workload)
        if workload.avalanche > 0 {
            let machine = self.random.number(0...self.machines.count - 1)
            let begin = self.random.number(0...workload.milliseconds)
            for number in 0..<workload.avalanche {
                let outgoing = Outgoing(
                    conversation: Workload.room(0).conversation, text: "avalanche \(number)")
                self.requestLater(
                    machine, .send(outgoing), in: begin + self.random.number(UInt64(0)...1_000))
            }
        }
        for _ in 0..<workload.moves {
            let machine = self.random.number(0...self.machines.count - 1)
            let room = self.room(self.random.number(0...workload.rooms - 1))
            let moment = self.random.number(0...workload.milliseconds)
            self.requestLater(machine, .leave(room.conversation), in: moment)
            if self.random.chance(60) {
                self.joinLater(
                    machine, room, in: moment + self.random.number(UInt64(0)...10_000))
            }
            if self.random.chance(50) {
                self.requestLater(
                    machine, .profile(name: "user \(moment)", status: nil),
                    in: self.random.number(0...workload.milliseconds))
            }
        }
    }
    /// What users read, and what they wait for to be read; drawn apart, so that it changes nothing else.
    private func scheduleReads(_ workload: Workload) {
        var random = SeededRandom(
            seed: UInt64(workload.messages) << 48 ^ workload.milliseconds ^ UInt64(workload.rooms))
        for number in 0..<max(2, workload.messages / 16) {
            let machine = Int(random.next() % UInt64(self.machines.count))
            let room = Workload.room(Int(random.next() % UInt64(workload.rooms))).conversation
            let moment = random.next() % (workload.milliseconds + 1)
            let outgoing = Outgoing(
                conversation: room, text: "read this \(number)",
                wait: DeliveryWait(self.goal(number), isRead: true, by: 20_000))
            self.requestLater(machine, .send(outgoing), in: moment)
            for reader in self.machines.indices where reader != machine {
                self.requestLater(
                    reader, .read(room, through: Cursor(.max)),
                    in: moment + random.next() % 8_000)
            }
        }
    }

    /// Whom a message is to reach; drawn from its number, so that it changes nothing else.
    private func goal(_ number: Int) -> DeliveryGoal {
        switch number % 5 {
        case 0: .members(2)
        case 1: .named([self.machines[number % self.machines.count].id])
        default: .members(1)
        }
    }
}
