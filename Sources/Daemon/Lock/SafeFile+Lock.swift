internal import ControlAPI
internal import Crypto
internal import Formats
internal import Posix

extension SafeFile {
    /// Sets a lock, changes its passphrase, or removes it; takes one or two seconds, so never on the event loop.
    ///
    /// The file is replaced whole: after a kill it is as before or as it is to be. A change keeps the slot of the
    /// desktop's keyring; with the lock its item goes too, and why that is still there is returned.
    func setLock(to new: Phrase?, from current: Phrase?) throws(RPCError) -> KeyringRefusal? {
        let (safe, slot) = try self.safe(by: current)
        guard let new else {
            let left = slot.flatMap(Self.removeItem)
            try self.keep(.open(safe))
            return left
        }
        // One that has the check word was made by Stoa.
        if new.suite == nil { try NodeShell.judge(new) }
        var random = SodiumRandom()
        var locked: LockedSafe
        do throws(CryptoError) { locked = try LockedSafe(safe, by: new, using: &random) } catch {
            throw .noMemoryForKey("the key of the lock")
        }
        locked.keyring = slot
        try self.keep(.locked(locked))
        return nil
    }

    /// Gives the key to the desktop's keyring as well; takes some seconds, as ``setLock(to:from:)``.
    ///
    /// The item is there before the file says so. One of before is deleted when the file has forgotten it.
    func addKeyring(by phrase: Phrase) throws(RPCError) {
        guard case .locked(var locked) = try self.read() else { throw .noLock }
        let safe = try locked.opened(by: phrase)
        let old = locked.keyring
        let new: KeyringSlot
        do throws(KeyringRefusal) {
            new = try DesktopKeyring.makeSlot(for: safe, in: self.folder)
        } catch { throw error.error }
        locked.keyring = new
        do throws(RPCError) { try self.keep(.locked(locked)) } catch {
            _ = Self.removeItem(of: new)
            throw error
        }
        if let old { _ = Self.removeItem(of: old) }
    }

    /// Takes the key from the desktop's keyring, and the slot from the file; returns why the item is still there.
    ///
    /// The item goes first: what a kill leaves of the two opens nothing.
    func removeKeyring() throws(RPCError) -> KeyringRefusal? {
        guard case .locked(var locked) = try self.read() else { throw .noLock }
        guard let slot = locked.keyring else { return nil }
        let left = Self.removeItem(of: slot)
        locked.keyring = nil
        try self.keep(.locked(locked))
        return left
    }

    private static func removeItem(of slot: KeyringSlot) -> KeyringRefusal? {
        do throws(KeyringRefusal) { try DesktopKeyring.remove(slot) } catch { return error }
        return nil
    }

    private func read() throws(RPCError) -> StoredSafe? {
        do throws(StartError) { return try self.stored() } catch {
            throw .storageFailed(error.text, remedy: error.remedy)
        }
    }

    private func safe(by current: Phrase?) throws(RPCError) -> (Safe, KeyringSlot?) {
        switch (try self.read(), current) {
        case (.open(let safe), nil): return (safe, nil)
        case (.locked(let locked), let current?):
            return (try locked.opened(by: current), locked.keyring)
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
