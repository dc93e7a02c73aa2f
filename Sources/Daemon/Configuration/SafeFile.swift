internal import Crypto
internal import Engine
internal import Formats
internal import Posix
internal import Storage

/// The file of the safe key in a data directory.
///
/// `Docs/Data.md`.
struct SafeFile {
    static let name = "safe.key"

    let folder: String
    private var path: String { "\(self.folder)/\(Self.name)" }

    init(in dataDirectory: String) { self.folder = dataDirectory }

    /// The safe of a node that starts, open or locked; made, and synced, where there has been none.
    ///
    /// Throws where the file has another size, mode or owner, and where it is missing beside what it seals.
    func begin() throws(StartError) -> StoredSafe {
        self.removeUnfinished()
        if let stored = try self.stored() { return stored }
        try self.refuseIfLost()
        let made = StoredSafe.open(.generate())
        do throws(SystemError) { try self.write(made) } catch {
            throw StartError(error, exitCode: .cannotCreate)
        }
        return made
    }

    /// As ``begin()``, for what cannot wait to be unlocked.
    ///
    /// Throws where it is locked, and no passphrase is in the folder of credentials.
    func open(credentials: String? = nil) throws(StartError) -> Safe {
        try Self.open(try self.begin(), credentials)
    }

    /// The safe where nothing may be written: a new one, which opens nothing, where there is none.
    func peek(credentials: String? = nil) throws(StartError) -> Safe {
        try Self.open(try self.stored() ?? .open(.generate()), credentials)
    }

    /// As ``peek()``; nil where it is locked.
    func peekUnlessLocked() throws(StartError) -> Safe? {
        if case .locked? = try self.stored() { nil } else { try self.peek() }
    }

    private static func open(
        _ stored: StoredSafe, _ credentials: String?
    ) throws(StartError) -> Safe {
        switch stored {
        case .open(let safe): return safe
        case .locked(let locked):
            if let safe = try locked.opened(byCredentialIn: credentials) { return safe }
            throw StartError(
                "the data is locked by a passphrase",
                remedy:
                    "write the passphrase to a file safe.passphrase in a folder of its own, and "
                    + "try again with CREDENTIALS_DIRECTORY=FOLDER",
                exitCode: .locked)
        }
    }

    /// Replaces the file; what was in it is overwritten as far as the disk allows.
    func write(_ stored: StoredSafe) throws(SystemError) {
        var bytes = stored.encoded
        defer { bytes.wipe() }
        try Files.replaceErasing(bytes, to: self.path, mode: 0o600)
    }

    /// Removes what a kill has left of writes to this file and to those that it seals: a lock that was being removed has
    /// left its key in the open there.
    private func removeUnfinished() {
        let sealed = [Self.name] + Identity.secretNames + PendingRestore.names
        for (folder, beginnings) in [
            (self.folder, sealed.map { $0 + "." }), ("\(self.folder)/realms", [""]),
        ] {
            for name in (try? Files.names(in: folder)) ?? []
            where name.hasSuffix(Files.unfinishedSuffix)
                && beginnings.contains(where: { name.hasPrefix($0) })
            {
                try? Files.removeErasing("\(folder)/\(name)")
            }
        }
    }

    /// What is in the file; nil where there is none.
    func stored() throws(StartError) -> StoredSafe? {
        guard Files.exists(self.path) else { return nil }
        try StartError.refuseKeyOfOthers(self.path)
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(self.path, limitBytes: StoredSafe.limitBytes)
        } catch { throw StartError(error, exitCode: .inputOutput) }
        defer { bytes.wipe() }
        do throws(StoredSafeError) { return try StoredSafe(decoding: bytes) } catch {
            switch error {
            case .later:
                throw StartError(
                    "\(self.path) is in a form that this version of Stoa cannot read",
                    remedy: "install the version that wrote it", exitCode: .data)
            case .wrongLength(let count):
                throw StartError(
                    "\(self.path) has \(count) bytes, which no key has",
                    remedy: "restore it from a backup of this folder; without it, nothing that it "
                        + "seals can be read",
                    exitCode: .data)
            }
        }
    }

    private func refuseIfLost() throws(StartError) {
        let files = Identity.secretNames.filter { name in
            let start = try? Files.read("\(self.folder)/\(name)", limitBytes: 4_096)
            return start.map { SealedFile.isSealed($0) } ?? false
        }
        let isStoreSealed: Bool
        do throws(StoreFailure) {
            isStoreSealed = try MessageStore.isSealed(in: self.folder)
        } catch { throw StartError(error) }
        guard let trace = files.first ?? (isStoreSealed ? "stoa.db" : nil) else { return }
        throw StartError(
            "\(self.path) is missing beside \(trace), which only it opens",
            remedy: "restore it from a backup of this folder; or move the whole folder away to "
                + "begin as a new device",
            exitCode: .data)
    }
}
