package import Engine
package import Formats

/// What people would see on the machines.
extension Simulation {
    /// A message on a machine.
    package struct Shown: Hashable, Sendable {
        /// Which machine's user wrote it.
        package var author: Int
        package var text: String
        /// Whether it stands at or behind a proven fork point.
        package var isDisputed: Bool
    }

    /// The texts that a machine shows of a room, in display order.
    package func messages(on machine: Int, in room: Room) -> [Shown] {
        self.messages(on: machine, in: room.conversation)
    }

    /// The texts that a machine shows of a conversation, in display order.
    package func messages(on machine: Int, in conversation: ConversationID) -> [Shown] {
        var found: [(order: (HybridTime, PeerID, UInt64, Int), message: Shown)] = []
        let keyring = self.machines[machine].keyring
        for (key, log) in self.machines[machine].store.logs
        where key.conversation == conversation {
            for (index, row) in log.rows.enumerated() where row.cursor != nil {
                let envelope = self.machines[machine].store.envelope(of: row, key, index)
                let reading = keyring.read(envelope)
                guard row.verdict.isSeen, case .text(let text)? = reading.content else { continue }
                let author = self.machines.first { $0.id == key.name.author }?.index ?? -1
                found.append(
                    (
                        (row.entry.time, key.name.author, key.name.incarnation, index),
                        Shown(author: author, text: text, isDisputed: row.visibility.isDisputed)
                    ))
            }
        }
        return found.sorted { $0.order < $1.order }.map(\.message)
    }

    /// The texts that a machine shows of a room, in display order, without disputed ones.
    package func texts(on machine: Int, in room: Room) -> [String] {
        self.messages(on: machine, in: room).filter { !$0.isDisputed }.map(\.text)
    }

    /// The texts that a machine shows of a conversation, in display order, without disputed ones.
    package func texts(on machine: Int, in conversation: ConversationID) -> [String] {
        self.messages(on: machine, in: conversation).filter { !$0.isDisputed }.map(\.text)
    }

    /// How many are in a room, as a running node sees it.
    package func members(on machine: Int, in room: Room) -> Int? {
        self.machines[machine].node?.conversationStatus(of: room.conversation)?.members.count
    }

    /// The time of the newest entry that a machine has written in a room, in milliseconds.
    package func newestTime(by machine: Int, in room: Room) -> UInt64? {
        self.machines[machine].store.logs.filter {
            $0.key.conversation == room.conversation
                && $0.key.name.author == self.machines[machine].id
        }.compactMap { $0.value.rows.last?.entry.time.milliseconds }.max()
    }

    /// How a running node sees itself.
    package func status(of machine: Int) -> NodeStatus? {
        self.machines[machine].node?.status(at: self.instant(machine))
    }

    /// How much has been missing of a room for a while on a machine: the number of each author's machine, and how
    /// many entries.
    package func holes(on machine: Int, in room: Room) -> [(author: Int?, count: UInt64)] {
        let holes = self.machines[machine].node?.holes(in: room.conversation) ?? []
        return holes.map { hole in
            (self.machines.firstIndex { $0.id == hole.author }, hole.count)
        }
    }

    /// Whether something of a room that others have is not on a machine at this moment.
    package func lacks(_ machine: Int, in room: Room) -> Bool {
        self.machines[machine].node?.missing(in: room.conversation).isEmpty == false
    }

    /// The key of a machine.
    package func peer(_ machine: Int) -> PeerID { self.machines[machine].id }

    /// Where a machine knows logs of an author of a room to have forked.
    package func forkPoints(on machine: Int, of author: Int, in room: Room) -> [UInt64] {
        self.machines[machine].store.logs.filter {
            $0.key.conversation == room.conversation
                && $0.key.name.author == self.machines[author].id
        }.compactMap(\.value.proof?.point).sorted()
    }

    /// How many messages were acknowledged.
    package var acknowledgedCount: Int { self.checker.acknowledgedCount }

    /// How many runs were sent, by all to all.
    package var runCount: Int { self.checker.counts.runs }

    /// How many links are open on both ends between two machines.
    package func linkCount(_ one: Int, _ other: Int) -> Int {
        self.network.wires.values.count { wire in
            wire.ends.allSatisfy { !$0.isGone && $0.link != nil }
                && Set(wire.ends.map(\.machine)) == [one, other]
        }
    }

    /// Sends a text to a room without a key.
    package func send(_ text: String, from machine: Int, to room: Room) throws {
        let outgoing = Outgoing(
            conversation: room.conversation, text: text)
        try self.request(machine, .send(outgoing))
    }
}

/// What a run came to.
extension Simulation {
    /// Counts for a list of runs: words and numbers in turn.
    package var summary: String {
        let hostile = self.machines.count { $0.adversary != nil }
        return "nodes \(self.machines.count) hostile \(hostile) "
            + "sessions \(self.faults.hasSessions ? 1 : 0) messages \(self.acknowledgedCount) "
            + "files \(self.checker.counts.filesFetched) streams \(self.checker.streams.readCount) "
            + "keys \(self.checker.groups.givenCount) assaults \(self.assaults.count) "
            + "events \(self.record.eventCount) "
            + "milliseconds \(self.time) rounds \(self.rounds)"
    }
}
