internal import Crypto
internal import Engine
internal import Formats
internal import Posix

/// What the next start takes up, as it lies in the data directory: a backup that was opened, or what
/// another device has handed over.
///
/// It holds what the other files hold afterwards, so it is as secret as they are; once all of it is
/// there, it is removed. A start that ends in between begins again with it. `Docs/Data.md`.
struct PendingRestore {
    private let folder: String
    private let safe: Safe

    private static let backupName = "restore.pending"
    private static let linkName = "link.pending"
    static let names = [backupName, linkName]

    init(in dataDirectory: String, _ safe: Safe) {
        self.folder = dataDirectory
        self.safe = safe
    }

    /// Keeps a backup for the next start.
    func keep(_ backup: Backup) throws(SystemError) {
        try self.keep(backup.encoded, as: Self.backupName)
    }

    /// Keeps what another device has handed over for the next start.
    func keep(_ handOver: HandOver) throws(SystemError) {
        try self.keep(handOver.encoded, as: Self.linkName)
    }

    private func keep(_ content: consuming [UInt8], as name: String) throws(SystemError) {
        defer { content.wipe() }
        let sealed = SealedFile.seal(content.span.bytes, as: name, by: self.safe)
        try Files.writeAtomically(sealed, to: "\(self.folder)/\(name)", mode: 0o600)
    }

    /// Whether something is still to be taken up.
    var isKept: Bool { Self.names.contains { Files.exists("\(self.folder)/\($0)") } }

    /// Removes what was kept.
    func drop() {
        do throws(SystemError) {
            for name in Self.names { try Files.removeErasing("\(self.folder)/\(name)") }
        } catch {
            // It is taken up once more then, which changes nothing.
        }
    }

    /// Makes this data directory that of the person, before anything else reads it; gives whom they know
    /// and where they are, nil where nothing is pending.
    ///
    /// The device's key stays: it is in no backup, and nobody hands it over. Throws where a file cannot be
    /// read or written.
    func begin() throws(StartError) -> Contacts? {
        if var bytes = try self.read(Self.backupName) {
            defer { bytes.wipe() }
            let backup: Backup
            do throws(WireError) { backup = try Backup(decoding: bytes) } catch {
                throw self.unreadable(Self.backupName, error, "stoa restore")
            }
            try self.write(backup.realms)
            try Identity.replacePerson(
                backup.person, dataDirectory: self.folder, safe: self.safe)
            BackupMark(in: self.folder).set()
            return backup.contacts
        }
        guard var bytes = try self.read(Self.linkName) else { return nil }
        defer { bytes.wipe() }
        let handOver: HandOver
        do throws(WireError) { handOver = try HandOver(decoding: bytes) } catch {
            throw self.unreadable(Self.linkName, error, "stoa device link")
        }
        try self.write(handOver.realms)
        try Identity.takeLinked(
            handOver.certificate, handOver.person, dataDirectory: self.folder, safe: self.safe)
        BackupMark(in: self.folder).clear()
        return handOver.contacts
    }

    private func read(_ name: String) throws(StartError) -> [UInt8]? {
        guard Files.exists("\(self.folder)/\(name)") else { return nil }
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read("\(self.folder)/\(name)", limitBytes: SealedBackup.limitBytes)
        } catch { throw StartError(error, exitCode: .inputOutput) }
        defer { bytes.wipe() }
        do throws(CryptoError) {
            return try SealedFile.open(bytes, as: name, by: self.safe)
        } catch {
            throw StartError(
                "\(self.folder)/\(name) is sealed, and \(SafeFile.name) does not open it",
                remedy: "remove it and start stoad", exitCode: .data)
        }
    }

    private func unreadable(
        _ name: String, _ error: WireError, _ command: String
    ) -> StartError {
        StartError(
            "\(self.folder)/\(name) cannot be read: \(error)",
            remedy: "remove it, start stoad, and run \(command) again", exitCode: .data)
    }

    private func write(_ realms: [Realm]) throws(StartError) {
        let files = RealmFiles(dataDirectory: self.folder, safe: self.safe)
        let known = Set(try files.load().realms.map(\.id))
        do throws(SystemError) {
            for realm in realms where !known.contains(realm.id) { try files.write(realm) }
        } catch { throw StartError(error, exitCode: .cannotCreate) }
    }
}
