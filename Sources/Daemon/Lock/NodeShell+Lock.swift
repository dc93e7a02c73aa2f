internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Posix

extension LockMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.lock(reply)
    }
}

extension UnlockMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        // It is open.
        reply.answer(EmptyValue())
    }
}

extension SetLockMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.setLock(params, reply)
    }
}

extension SetKeyringMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.setKeyring(params, reply)
    }
}

extension NodeShell {
    /// Whether a passphrase is set, as the file says; nil where none is.
    var lockWord: LockWord? { self.lockedSafe == nil ? nil : .open }

    /// What the status says of the desktop's keyring, as the file says; nil where it has no key of this node.
    var keyringStatus: StatusMethod.Keyring? {
        guard self.lockedSafe?.keyring != nil else { return nil }
        return StatusMethod.Keyring { $0.state = .set }
    }

    private var lockedSafe: LockedSafe? {
        let stored = try? SafeFile(in: self.configuration.dataDirectory).stored()
        return if case .locked(let locked)? = stored { locked } else { nil }
    }

    fileprivate func lock(_ reply: Reply) throws(RPCError) {
        guard self.lockWord != nil else { throw .noLock }
        reply.answer(EmptyValue())
        self.lockNow(since: "asked to")
    }

    func lockNow(since why: String) {
        self.log(.notice, "locking, \(why): the daemon runs itself anew")
        self.stop(then: .lock)
    }

    /// Counts from here on how long nobody does anything.
    func beginIdleTime() {
        let now = self.now.monotonic
        self.clients.attention.act(at: now)
        self.lockWhenIdle(at: now)
    }

    /// Locks the node if nobody has done anything for as long as the configuration says, else looks again then.
    ///
    /// Where it says nothing, no timer is set.
    func lockWhenIdle(at now: UInt64) {
        let minutes = self.configuration.lock.afterMinutes
        guard minutes > 0, self.life.isRunning else { return }
        var wait = self.clients.attention.idleIn(minutes: minutes, at: now)
        if wait == 0 {
            guard self.lockWord == nil else { return self.lockNow(since: "nobody does anything") }
            wait = minutes * 60_000
        }
        let look = self.clients.attention.planLock()
        self.after(wait) {
            guard self.clients.attention.lockLook == look else { return }
            self.lockWhenIdle(at: self.now.monotonic)
        }
    }

    fileprivate func setLock(
        _ params: SetLockMethod.Params, _ reply: Reply
    ) throws(RPCError) {
        let folder = self.configuration.dataDirectory
        let (new, current) = (
            try params.passphrase.map { (text) throws(RPCError) in try Phrase(ofLock: text) },
            try params.current.map { (text) throws(RPCError) in try Phrase(ofLock: text) }
        )
        if current == nil, params.withoutBackup != true, self.holdsPersonKey,
            !BackupMark(in: folder).isSet
        {
            throw .refused(
                "a passphrase that is forgotten cannot be recovered, and there is no backup of you",
                reason: "noBackup",
                remedy: "make one first: stoa backup FILE; or do without: --without-backup")
        }
        try self.makeKey(reply) { () throws(RPCError) in
            try SafeFile(in: folder).setLock(to: new, from: current)
        } then: { left in
            if let left { self.warnOfItem(left) }
            // What a repair has kept may be from before anything was sealed.
            if new != nil {
                self.removeRepairedCopies()
                ProcessEnvironment.forbidDumps()
            }
            self.log(.notice, new == nil ? "the lock is removed" : "the lock has a new passphrase")
            self.followSleep()
            reply.answer(EmptyValue())
            if new == nil || current == nil { self.letOthersAskAnew(reply) }
        }
    }

    fileprivate func setKeyring(
        _ params: SetKeyringMethod.Params, _ reply: Reply
    ) throws(RPCError) {
        let file = SafeFile(in: self.configuration.dataDirectory)
        guard params.use else {
            return try self.makeKey(reply) { () throws(RPCError) in
                try file.removeKeyring()
            } then: { left in
                if let left { self.warnOfItem(left) }
                self.log(.notice, "the desktop's keyring does not open this node")
                reply.answer(SetKeyringMethod.Result { $0.left = left?.text })
            }
        }
        let phrase = try Phrase(ofLock: params.passphrase ?? "")
        try self.makeKey(reply) { () throws(RPCError) in
            try file.addKeyring(by: phrase)
        } then: { (_: Void) in
            self.log(.notice, "the desktop's keyring opens this node at a start")
            reply.answer(SetKeyringMethod.Result())
        }
    }

    private func warnOfItem(_ refusal: KeyringRefusal) {
        self.log(
            .warning,
            "the key is still in the desktop's keyring, where nothing needs it: \(refusal.text)")
    }

    /// Ends all other connections: with the next one clients learn whether they may keep texts on the disk.
    private func letOthersAskAnew(_ reply: Reply) {
        let clients = self.clients.control.clients
        for (number, client) in clients.sorted(by: { $0.key < $1.key })
        where number != reply.asker?.number {
            client.close(saying: .busy("the lock was set or removed"))
        }
    }
}

extension Phrase {
    /// Reads the passphrase of a lock.
    init(ofLock text: String) throws(RPCError) {
        do throws(PhraseError) { self = try Phrase(chosen: text) } catch { throw RPCError(error) }
    }
}

extension RPCError {
    static let noLock = RPCError.refused(
        "this node has no lock", reason: "noLock", remedy: "set a passphrase: stoa lock set")
    static let wrongPassphrase = RPCError.refused(
        "the passphrase does not open the lock", reason: "wrongPassphrase",
        remedy: "try again; a forgotten one cannot be recovered: see stoa help lock")
}
