internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension RealmInviteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        reply.answer(Result(try shell.realm(named: params.name)))
    }
}

extension RealmInviteMethod.Result {
    /// The invitation to a realm, with its earlier secret while that counts.
    init(_ realm: Realm) {
        self.init()
        self.name = realm.name.text
        self.invite = RealmInvitation(realm.settled(at: SystemClock.wallMilliseconds())).line
    }
}
