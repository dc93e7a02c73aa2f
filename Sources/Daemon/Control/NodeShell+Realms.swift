internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Realms: from the files to the node, and back to the files.
extension NodeShell {
    var realmFiles: RealmFiles {
        RealmFiles(dataDirectory: self.configuration.dataDirectory, safe: self.birth.safe)
    }

    /// Says in the log where rooms whose name stands alone are in a realm that the user is not in.
    func warnOfUnknownRealm() {
        let joined = self.realms.realms.map(\.name)
        guard let finding = self.configuration.unknownRealm(among: joined) else { return }
        self.log(.warning, "\(finding.text); \(finding.remedy)")
    }

    /// The realms as the node takes them.
    var nodeRealms: Realms {
        self.realms.named(by: self.configuration)
    }

    // MARK: What clients name

    /// The realm with a secret that a name means.
    func realm(named text: String) throws(RPCError) -> Realm {
        if let realm = RealmName(typed: text).flatMap({ self.realms[$0] }) { return realm }
        let shown = TerminalText.line(text)
        if text == RealmName.open.text {
            throw .refused(
                "the open realm has no secret and is not left this way", reason: "openRealm",
                remedy: "to be without it, set OpenRealm=no in stoad.conf")
        }
        let nearest = NearestName.find(text, among: self.realms.realms.map(\.name.text))
        throw .notFound(
            "you are in no realm \"\(shown)\"", reason: "unknownRealm",
            remedy: nearest.map { "did you mean \"\($0)\"?" } ?? "see stoa realm list")
    }

    /// A name for a realm that none has yet.
    func freeRealmName(_ text: String) throws(RPCError) -> RealmName {
        let shown = TerminalText.line(text)
        guard let name = RealmName(typed: text), name != .open else {
            throw .invalidParams(
                "\"\(shown)\" cannot be the name of a realm", reason: "badRealmName",
                remedy:
                    "use 1 to \(Limits.realmNameCharacters) letters, digits and -, but not the name open",
                details: [JSON.Member("param", "name")])
        }
        guard self.realms[name] == nil else {
            throw .refused(
                "you are already in a different realm called \"\(shown)\"", reason: "realmName",
                remedy: "choose another name for this one")
        }
        return name
    }

    /// Refuses one realm too many.
    func checkRealmCount() throws(RPCError) {
        guard self.realms.realms.count < Limits.realms else {
            throw .refused(
                "you are in \(Limits.realms) realms already", reason: "tooManyRealms",
                remedy: "leave one first: stoa realm leave NAME")
        }
    }

    /// Refuses to change what an administrator installed.
    func checkOwn(_ realm: Realm) throws(RPCError) {
        guard let path = self.realms.installed[realm.id] else { return }
        throw .refused(
            "the administrator of this machine added you to \"\(realm.name)\" with \(path)",
            reason: "installed", remedy: "ask the administrator to change that file")
    }

    // MARK: Changes

    /// Writes a realm that was made, joined or renewed, then goes on with it.
    func keepRealm(
        _ realm: Realm, _ reply: Reply, answer: @escaping () -> Void
    ) throws(RPCError) {
        try self.changeRealms(reply) { (files) throws(SystemError) in
            try files.write(realm)
        } then: { stored in
            stored.put(realm)
        } answer: {
            answer()
        }
    }

    /// Changes the files on the worker, since a disk may be slow; then tells the node.
    ///
    /// One change at a time, so that each is checked against all before it.
    func changeRealms(
        _ reply: Reply, _ write: @escaping @Sendable (RealmFiles) throws(SystemError) -> Void,
        then change: @escaping (inout StoredRealms) -> Void, answer: @escaping () -> Void
    ) throws(RPCError) {
        guard !self.realms.isChanging else { throw .busy("another realm is being written") }
        let isTaken = self.writeRealms(write) { failure in
            if let failure {
                return reply.fail(.storageFailed(failure.reason, remedy: failure.remedy ?? ""))
            }
            change(&self.realms)
            self.happened(.realms(self.nodeRealms))
            self.after(0) { self.resumeExport() }
            answer()
        }
        guard isTaken else { throw .busy("too much is waiting for the disk") }
    }

    /// Changes the files on the worker; false where too much waits for it, and then nothing happens.
    private func writeRealms(
        _ write: @escaping @Sendable (RealmFiles) throws(SystemError) -> Void,
        then done: @escaping (SystemError?) -> Void
    ) -> Bool {
        let files = self.realmFiles
        self.realms.isChanging = true
        let isTaken = self.workers.common.run { () -> SystemError? in
            do throws(SystemError) { try write(files) } catch { return error }
            return nil
        } then: { failure in
            self.turn {
                self.realms.isChanging = false
                done(failure)
            }
        }
        if !isTaken { self.realms.isChanging = false }
        return isTaken
    }

    /// Joins a realm that the user has joined on another device.
    ///
    /// The node asks again with whatever is told next and at the next start, so what cannot be done now is not lost.
    func followRealm(_ told: Realm) {
        guard !self.realms.isChanging, self.realms.realms.count < Limits.realms,
            let name = self.freeName(like: told.name)
        else { return }
        let realm = Realm(id: told.id, name: name, secret: told.secret, previous: told.previous)
        _ = self.writeRealms { (files) throws(SystemError) in
            try files.write(realm)
        } then: { failure in
            if let failure {
                return self.log(
                    .warning,
                    "the realm \"\(name)\", which you joined on another device, cannot be written: "
                        + failure.reason)
            }
            self.realms.put(realm)
            self.log(.notice, "joined the realm \"\(name)\", as on another device of yours")
            self.happened(.realms(self.nodeRealms))
            self.after(0) { self.resumeExport() }
        }
    }

    /// A name or, where a realm has it, the name with a number; nil where none is free.
    private func freeName(like name: RealmName) -> RealmName? {
        let stem = String(name.text.unicodeScalars.prefix(Limits.realmNameCharacters - 3))
        let numbered = (2...Limits.realms + 1).lazy.compactMap { RealmName(typed: "\(stem)-\($0)") }
        return ([name] + numbered).first { self.realms[$0] == nil }
    }
}
