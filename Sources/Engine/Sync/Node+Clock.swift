package import Formats

/// One log in the vector clock of a conversation: how many of its entries are here, and at linked members.
package struct ClockLine: Hashable, Sendable {
    package var name: LogName
    package var here: UInt64
    /// Up to which entry all payloads are here, too.
    package var whole: UInt64
    /// Whether the author has signed two histories, so that it ends here.
    package var isForked: Bool
    /// What each of the members has that were asked for, by what they told last; nil where one has told nothing.
    package var members: [UInt64?]
}

/// The vector clock of a conversation, as far as it is known here.
extension Node {
    /// The logs that it counts, by author; nil where the user is in no such conversation.
    package func clockLogs(of id: ConversationID) -> [LogName]? {
        guard let conversation = self.conversations.table[id], conversation.isJoined else {
            return nil
        }
        return conversation.logs.filter(\.value.isCounted).map(\.key).sorted()
    }

    /// The members whose clocks are known: those who are linked, trusted most first.
    package func clockMembers(of id: ConversationID) -> [PeerID] {
        let peers = self.links.sharing(id).map { self.links[$0].info.peer }
        let tiers = self.tiers(of: peers)
        return peers.sorted {
            let (one, other) = (tiers[$0, default: .stranger], tiers[$1, default: .stranger])
            return one != other ? one > other : $0 < $1
        }
    }

    /// A log of ``clockLogs(of:)``, at some of ``clockMembers(of:)``.
    package func clockLine(
        _ name: LogName, of id: ConversationID, at members: [PeerID]
    ) -> ClockLine {
        let conversation = self.conversations.table[known: id]
        let log = conversation.log(name)
        return ClockLine(
            name: name, here: log.head.seq, whole: min(log.head.seq, log.whole ?? .max),
            isForked: log.forkPoint != nil,
            members: members.map { peer in
                guard let link = self.links.id(of: peer), self.links.isShared(id, on: link) else {
                    return nil
                }
                let sync = self.links[link].shared[known: id]
                let told = sync.told(of: name, log, conversation.numbers)
                // Who writes a log has all of it that came from there.
                return name.author == peer ? max(told ?? 0, log.head.seq) : told
            })
    }
}
