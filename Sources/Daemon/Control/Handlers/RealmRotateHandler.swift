internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Posix

extension RealmRotateMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let realm = try shell.realm(named: params.name)
        try shell.checkOwn(realm)
        let now = SystemClock.wallMilliseconds()
        if params.lastingSeconds > 0, params.force != true {
            try Self.checkSettled(realm, at: now)
        }
        var random = SodiumRandom()
        let end = now + UInt64(params.lastingSeconds) * 1_000
        let renewed = realm.renewed(until: end, using: &random)
        try shell.keepRealm(renewed, reply) { reply.answer(Result(renewed)) }
    }

    /// Refuses while an earlier secret counts.
    ///
    /// There is place for one, and whoever has only that one would be out without a word.
    private static func checkSettled(_ realm: Realm, at now: UInt64) throws(RPCError) {
        guard let until = realm.settled(at: now).previous?.until else { return }
        let moment = UTCTime.text(until)
        throw .refused(
            "an older secret of \"\(realm.name)\" works until \(moment): another "
                + "new one would at once shut out everyone who has not joined by the current invitation",
            reason: "oldSecretCounts",
            remedy: "wait until then, or ask them to join first (stoa realm invite \(realm.name)); "
                + "to shut them out: stoa realm rotate \(realm.name) --force")
    }
}
