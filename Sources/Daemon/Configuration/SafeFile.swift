internal import Crypto
internal import Formats
internal import Posix
internal import Storage

/// The file of the safe key in a data directory.
///
/// `Docs/Data.md`.
struct SafeFile {
    static let name = "safe.key"

    private let folder: String
    private var path: String { "\(self.folder)/\(Self.name)" }

    init(in dataDirectory: String) { self.folder = dataDirectory }

    /// The safe of a node that starts, open or locked; made, and synced, where there has been none.
    ///
    /// Throws where the file has another size, mode or owner, and where it is missing beside what it seals.
    func begin() throws(StartError) -> StoredSafe {
        if let stored = try self.stored() { return stored }
        try self.refuseIfLost()
        let made = StoredSafe.open(.generate())
        do throws(SystemError) { try self.write(made) } catch {
            throw StartError(error, exitCode: .cannotCreate)
        }
        return made
    }

    /// As ``begin()``, for what cannot wait to be unlocked; throws where it is locked.
    func open() throws(StartError) -> Safe { try Self.open(try self.begin()) }

    /// The safe where nothing may be written: a new one, which opens nothing, where there is none.
    func peek() throws(StartError) -> Safe {
        try self.stored().map { (stored) throws(StartError) in try Self.open(stored) }
            ?? .generate()
    }

    private static func open(_ stored: StoredSafe) throws(StartError) -> Safe {
        guard case .open(let safe) = stored else {
            throw StartError(
                "the data is locked by a passphrase",
                remedy: "start stoad, remove the lock, and try again: stoa lock remove",
                exitCode: .locked)
        }
        return safe
    }

    /// Replaces the file; what was in it is overwritten as far as the disk allows.
    func write(_ stored: StoredSafe) throws(SystemError) {
        var bytes = stored.encoded
        defer { bytes.wipe() }
        try Files.writeAtomically(bytes, to: self.path, mode: 0o600, erasesOld: true)
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
