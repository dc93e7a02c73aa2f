internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension RealmsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "realms")
        let known = shell.realms.realms.map { (rank: 0, id: $0.id) }
        let open = shell.configuration.isInOpenRealm ? [(rank: 1, id: RealmID.open)] : []
        let left = shell.realms.left.keys.map { (rank: 2, id: $0) }
        let names = shell.nodeRealms
        reply.answer(
            cut.page(of: known + open + left, byteLimit: reply.listBytes) { rank, id in
                PagePlace(rank: rank, key: "\(names.name(of: id)) \(id)")
            } element: {
                shell.realmResult($0.id)
            })
    }
}

extension NodeShell {
    /// What clients are told of a realm.
    func realmResult(_ id: RealmID) -> RealmsMethod.Realm {
        let (realms, name) = (self.nodeRealms, self.nodeRealms.name(of: id))
        let rooms = self.node.ask { $0.joinedConversations.values.count { $0.realm == id } }
        let realm = self.realms.realms.first { $0.id == id }
        let until = realm?.settled(at: SystemClock.wallMilliseconds()).previous?.until
        return RealmsMethod.Realm {
            $0.id = id.description
            $0.name = name
            $0.joined = realms.contains(id)
            $0.isDefault = name == self.configuration.defaultRealm.text
            $0.installed = self.realms.installed[id]
            $0.oldSecretUntil = until.map { Timestamp(clamping: $0) }
            $0.rooms = Int64(rooms)
        }
    }
}
