internal import ControlAPI
internal import Crypto
internal import Formats
internal import Posix

extension SafeFile {
    /// Sets a lock, changes its passphrase, or removes it; takes one or two seconds, so never on the event loop.
    ///
    /// The file is replaced whole: after a kill it is as before or as it is to be.
    func setLock(to new: Phrase?, from current: Phrase?) throws(RPCError) {
        let safe = try self.safe(by: current)
        guard let new else { return try self.keep(.open(safe)) }
        // One that has the check word was made by Stoa.
        if new.suite == nil { try NodeShell.judge(new) }
        var random = SodiumRandom()
        let locked: LockedSafe
        do throws(CryptoError) { locked = try LockedSafe(safe, by: new, using: &random) } catch {
            throw .noMemoryForKey("the key of the lock")
        }
        try self.keep(.locked(locked))
    }

    private func safe(by current: Phrase?) throws(RPCError) -> Safe {
        let stored: StoredSafe?
        do throws(StartError) { stored = try self.stored() } catch {
            throw .storageFailed(error.text, remedy: error.remedy)
        }
        switch (stored, current) {
        case (.open(let safe), nil): return safe
        case (.locked(let locked), let current?): return try locked.opened(by: current)
        case (.locked, nil):
            throw .refused(
                "this node has a lock already", reason: "lockSet",
                remedy: "change its passphrase: stoa lock change")
        case (.open, _), (nil, _): throw .noLock
        }
    }

    private func keep(_ stored: StoredSafe) throws(RPCError) {
        do throws(SystemError) { try self.write(stored) } catch {
            throw .storageFailed(error.reason, remedy: error.remedy ?? "")
        }
    }
}

extension LockedSafe {
    /// Opens it by the passphrase that systemd hands over as a credential; nil where it hands none over.
    func opened(byCredentialIn folder: String?) throws(StartError) -> Safe? {
        guard let path = folder.map({ "\($0)/safe.passphrase" }), Files.exists(path) else {
            return nil
        }
        do {
            var bytes = try Files.read(path, limitBytes: Phrase.limitBytes + 2)
            defer { bytes.wipe() }
            return try self.open(by: Phrase(chosen: String(decoding: bytes, as: UTF8.self)))
        } catch {
            throw StartError(
                "the credential safe.passphrase does not open the lock: \(error)",
                remedy: "correct it; or unlock: stoa unlock", exitCode: .locked)
        }
    }

    /// Opens it for a client; takes half a second.
    func opened(by phrase: Phrase) throws(RPCError) -> Safe {
        do throws(CryptoError) { return try self.open(by: phrase) } catch {
            throw error == .outOfMemory
                ? RPCError.noMemoryForKey("the key of the lock") : RPCError.wrongPassphrase
        }
    }
}
