internal import ControlAPI
internal import Engine
internal import Formats

extension ClockMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.page.cut(of: "clock")
        let id = try shell.conversation(params.to)
        guard let logs = shell.node.ask({ $0.clockLogs(of: id) }) else {
            throw shell.notMember(of: id)
        }
        let members = shell.node.ask { $0.clockMembers(of: id) }
        var result = Result()
        result.conversation = id.description
        result.conversationName = shell.name(of: id)
        result.linked = members.map { peer in
            Named {
                $0.id = peer.description
                ($0.name, $0.ambiguous) = shell.shownName(of: peer)
            }
        }
        if params.page.after == nil {
            (result.missing, result.moreMissing) = shell.missing(in: id)
        }
        let page = cut.page(of: logs, byteLimit: reply.listBytes - result.expectedBytes) { name in
            PagePlace(rank: 0, key: "\(name.author)\(NodeShell.hexadecimal(name.incarnation))")
        } element: { name in
            shell.clockLog(name, of: id, at: members)
        }
        (result.items, result.next) = (page.items, page.next)
        reply.answer(result)
    }
}

extension NodeShell {
    fileprivate func clockLog(
        _ name: LogName, of id: ConversationID, at members: [PeerID]
    ) -> ClockMethod.Log {
        let line = self.node.ask { $0.clockLine(name, of: id, at: members) }
        return ClockMethod.Log {
            $0.author = name.author.description
            $0.authorName = self.markedName(of: name.author)
            $0.incarnation = Self.hexadecimal(name.incarnation)
            $0.here = Int64(clamping: line.here)
            $0.withoutText = Self.counted(line.here - line.whole)
            $0.forked = line.isForked ? true : nil
            $0.members = zip(members, line.members).map { peer, entries in
                ClockMethod.Member {
                    $0.id = peer.description
                    guard let entries else { return }
                    $0.entries = Int64(clamping: entries)
                    $0.ahead = Self.counted(entries - min(entries, line.here))
                    $0.behind = Self.counted(line.here - min(entries, line.here))
                }
            }
        }
    }

    private static func counted(_ count: UInt64) -> Int64? {
        count > 0 ? Int64(clamping: count) : nil
    }
}
