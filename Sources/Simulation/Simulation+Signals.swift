import Engine
import Formats

/// Who is there and who writes: said by users, told by nodes, kept by nobody.
extension Simulation {
    /// Notes what users say of themselves.
    func scheduleSignals(_ workload: Workload) {
        var random = SeededRandom(seed: UInt64(workload.signals) << 32 ^ workload.milliseconds)
        for _ in 0..<workload.signals {
            let machine = random.number(0...self.machines.count - 1)
            let moment = random.number(0...workload.milliseconds)
            if random.chance(30) {
                self.requestLater(
                    machine, .presence(random.chance(50) ? .away : .online), in: moment)
            } else {
                let room = self.room(random.number(0...workload.rooms - 1)).conversation
                self.requestLater(machine, .typing(room), in: moment)
            }
        }
    }
}

extension Checker {
    /// A node tells its user of others what these have said, and of what it shares with them alone.
    mutating func signalled(_ signals: [Signal], by machine: Machine, of machines: [Machine]) throws
    {
        for signal in signals {
            switch signal {
            case .presence(let peer, _, _):
                guard peer != machine.id, self.signals || !self.suspects.hostile.isEmpty else {
                    throw Violation(
                        "node \(machine.index) says that \(peer) is there, which nobody told")
                }
            case .typing(let peer, let conversation, true):
                let isHostile = machines.contains {
                    $0.id == peer && self.suspects.hostile.contains($0.index)
                }
                guard isHostile || self.typed[conversation]?.contains(peer) == true else {
                    throw Violation("node \(machine.index) says that \(peer) writes, who does not")
                }
                guard machine.store.rooms[conversation]?.isJoined == true else {
                    throw Violation(
                        "node \(machine.index) says who writes in a conversation that it is not in")
                }
            case .typing(_, _, false): break
            case .picture:
                throw Violation("node \(machine.index) shows a picture, and nobody has any")
            case .missing(let conversation):
                try self.missing(conversation, at: machine, of: machines)
            case .call: throw Violation("node \(machine.index) hears a call, and nobody calls")
            case .packet(let peer, let conversation, let stream, let packet):
                try self.given(
                    packet, of: stream, from: peer, in: conversation, by: machine, of: machines)
            }
        }
    }

    /// What is missing exists, as far as nobody hostile says so.
    private func missing(
        _ conversation: ConversationID, at machine: Machine, of machines: [Machine]
    ) throws {
        guard let node = machine.node else { return }
        let honest = Set(
            machines.filter { !self.suspects.hostile.contains($0.index) }.map(\.id))
        for entries in node.holes(in: conversation)
        where honest.contains(entries.author) && entries.holders.isSubset(of: honest)
            && !self.suspects.forkers.contains(entries.author)
        {
            guard self.hasWritten(entries.author, entries.last, in: conversation) else {
                throw Violation(
                    "node \(machine.index) misses entry \(entries.last) of \(entries.author), "
                        + "which nobody wrote")
            }
        }
    }

    /// A user has said that they write.
    mutating func noteTyping(_ request: Request, by machine: Machine) {
        if case .typing(let conversation) = request {
            self.typed[conversation, default: []].insert(machine.id)
        }
    }
}
