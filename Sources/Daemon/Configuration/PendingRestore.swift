internal import Crypto
internal import Engine
internal import Formats
internal import Posix

/// A backup that was opened and that the next start takes up, as it lies in the data directory.
///
/// It holds what the other files hold afterwards, so it is as secret as they are; once all of it is
/// there, it is removed. A start that ends in between begins again with it. `Docs/Data.md`.
struct PendingRestore {
    private let folder: String

    private static let name = "restore.pending"

    init(in dataDirectory: String) { self.folder = dataDirectory }

    private var path: String { "\(self.folder)/\(Self.name)" }

    /// Keeps a backup for the next start.
    func keep(_ backup: Backup) throws(SystemError) {
        var content = backup.encoded
        defer { content.wipe() }
        try Files.writeAtomically(content, to: self.path, mode: 0o600)
    }

    /// Removes what was kept.
    func drop() {
        do throws(SystemError) {
            try Files.remove(self.path)
            try Files.syncDirectory(self.folder)
        } catch {
            // It is taken up once more then, which changes nothing.
        }
    }

    /// Makes this data directory that of the backup's person, before anything else reads it; gives whom
    /// they know and where they are, nil where nothing is pending.
    ///
    /// The device's key stays: it was never in the backup. Throws where a file cannot be read or written.
    func begin() throws(StartError) -> Contacts? {
        guard Files.exists(self.path) else { return nil }
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        let backup: Backup
        do throws(SystemError) {
            bytes = try Files.read(self.path, limitBytes: SealedBackup.limitBytes)
        } catch { throw StartError(error, exitCode: .inputOutput) }
        do throws(WireError) {
            backup = try Backup(decoding: bytes)
        } catch {
            throw StartError(
                "\(self.path) is not an opened backup: \(error)",
                remedy: "remove it, start stoad, and run stoa restore again", exitCode: .data)
        }
        let files = RealmFiles(dataDirectory: self.folder)
        let known = Set(try files.load().realms.map(\.id))
        do throws(SystemError) {
            for realm in backup.realms where !known.contains(realm.id) { try files.write(realm) }
        } catch { throw StartError(error, exitCode: .cannotCreate) }
        try Identity.replacePerson(backup.person, dataDirectory: self.folder)
        return backup.contacts
    }
}
