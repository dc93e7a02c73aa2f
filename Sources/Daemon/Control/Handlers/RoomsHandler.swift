internal import ControlAPI
internal import Engine
internal import Formats

extension RoomsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "rooms")
        let realms = shell.nodeRealms
        let own = shell.node.ask { $0.joinedConversations }
        let all = shell.node.ask { $0.peopledRooms }
        let looks = shell.node.ask { $0.roomLooks }
        reply.answer(
            cut.page(of: all, byteLimit: reply.listBytes) { id, room in
                PagePlace(rank: own[id] == nil ? 1 : 0, name: realms.text(of: room), id)
            } element: { id, room in
                let status = shell.node.ask { $0.roomStatus(of: id, room) }
                return Room {
                    $0.id = id.description
                    $0.name = realms.text(of: room)
                    $0.realm = realms.name(of: room.realm)
                    $0.room = room.name.text
                    $0.reachable = status.isReachable
                    $0.joined = status.isJoined
                    $0.members = Int64(status.members)
                    $0.looksLike = looks.names(of: room, in: realms)
                    $0.announcedBy = status.announcedBy.map(\.description)
                }
            })
    }
}

extension RoomLooks {
    /// How the rooms are written for which somebody could take one; nil where there are none.
    func names(of room: Formats.Room, in realms: Realms) -> [String]? {
        let names = self.alike(room).prefix(ControlLimits.candidates).map { realms.text(of: $0) }
        return names.isEmpty ? nil : names
    }
}

extension PagePlace {
    /// By name; two realms that had the same name here have rooms that are written alike.
    init(rank: Int, name: String, _ conversation: ConversationID) {
        self.init(rank: rank, key: "\(name) \(conversation)")
    }
}
