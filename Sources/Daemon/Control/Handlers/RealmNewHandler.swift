internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats

extension RealmNewMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let name = try shell.freeRealmName(params.name)
        var random = SodiumRandom()
        let realm = Realm.make(name, using: &random)
        try shell.checkRealmCount()
        try shell.keepRealm(realm, reply) { reply.answer(shell.realmResult(realm.id)) }
    }
}
