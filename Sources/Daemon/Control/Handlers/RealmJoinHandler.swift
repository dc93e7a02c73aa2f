internal import ControlAPI
internal import Engine
internal import Formats

extension RealmJoinMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let line = try shell.invitation(.realm, in: params.invite)
        let invited: Realm
        do throws(InvitationError) {
            invited = try RealmInvitation(line).realm
        } catch {
            throw .invalidParams(
                "that is not an invitation to a realm: \(error)", reason: "badInvite",
                remedy: "give the whole line that stoa realm invite printed",
                details: [JSON.Member("param", "invite")])
        }
        guard let realm = try shell.joining(invited, as: params.name) else {
            reply.answer(shell.realmResult(invited.id))
            return
        }
        try shell.keepRealm(realm, reply) { reply.answer(shell.realmResult(realm.id)) }
    }
}

extension NodeShell {
    /// The invitation in what somebody pasted.
    func invitation(
        _ kinds: PastedInvitation.Kind..., in text: String
    ) throws(RPCError) -> String {
        do throws(PastedInvitation.Several) {
            return try PastedInvitation.find(kinds, in: text)
        } catch { throw RPCError(error) }
    }

    /// The realm as it is to be kept; nil where the invitation brings nothing new.
    fileprivate func joining(
        _ invited: Realm, as chosen: String?
    ) throws(RPCError) -> Realm? {
        guard let known = self.realms.realms.first(where: { $0.id == invited.id }) else {
            try self.checkRealmCount()
            let name = try self.freeRealmName(chosen ?? invited.name.text)
            return Realm(
                id: invited.id, name: name, secret: invited.secret, previous: invited.previous)
        }
        if invited.secret == known.secret { return nil }
        guard invited.secret != known.previous?.secret else {
            throw .refused(
                "the invitation is older than the secret you have", reason: "oldInvite",
                remedy: "ask for a new one: stoa realm invite")
        }
        try self.checkOwn(known)
        return Realm(
            id: known.id, name: known.name, secret: invited.secret, previous: invited.previous)
    }
}
