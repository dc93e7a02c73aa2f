internal import ControlAPI
internal import Crypto
internal import Engine
internal import Posix

extension RealmRotateMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let realm = try shell.realm(named: params.name)
        try shell.checkOwn(realm)
        var random = SodiumRandom()
        let end = SystemClock.wallMilliseconds() + UInt64(params.lastingSeconds) * 1_000
        let renewed = realm.renewed(until: end, using: &random)
        try shell.keepRealm(renewed, reply) { reply.answer(Result(renewed)) }
    }
}
