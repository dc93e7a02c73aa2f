internal import ControlAPI
internal import Engine
internal import Posix

extension RealmsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let known = shell.realms.realms.sorted { $0.name < $1.name }.map(\.id)
        let open: [RealmID] = shell.configuration.isInOpenRealm ? [.open] : []
        let left = shell.realms.left.sorted { $0.value < $1.value }.map(\.key)
        reply.answer((known + open + left).map { shell.realmResult($0) })
    }
}

extension NodeShell {
    /// What clients are told of a realm.
    func realmResult(_ id: RealmID) -> RealmsMethod.Realm {
        let (realms, name) = (self.nodeRealms, self.nodeRealms.name(of: id))
        let rooms = self.node?.conversations.count { $0.room.realm == id }
        let realm = self.realms.realms.first { $0.id == id }
        let until = realm?.settled(at: SystemClock.wallMilliseconds()).previous?.until
        return RealmsMethod.Realm {
            $0.id = id.description
            $0.name = name
            $0.joined = realms.contains(id)
            $0.isDefault = name == self.configuration.defaultRealm.text
            $0.installed = self.realms.installed[id]
            $0.oldSecretUntil = until.map { Timestamp(clamping: $0) }
            $0.rooms = Int64(rooms ?? 0)
        }
    }
}
