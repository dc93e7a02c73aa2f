internal import Crypto
internal import Engine
internal import Formats
internal import Glibc
internal import Posix

/// The realms of a user on disk: `NAME.realm` holds the invitation to one, `NAME.left` the id of one
/// that was left.
///
/// Anyone who has a `.realm` file is in that realm, so only the user may read the own ones. Those that
/// an administrator installed are read, and never written. `Docs/Data.md`.
struct RealmFiles: Sendable {
    /// The folder of the user's own, in the data directory.
    let own: String
    /// The folder of an administrator's.
    let installed: String
    /// What seals the user's own.
    private let safe: Safe

    /// Where an administrator puts them.
    static let installedDirectory = "/etc/stoa/realms"
    private static let suffix = ".realm"
    private static let leftSuffix = ".left"
    /// A line and some comments.
    private static let limitBytes = 4_096

    init(dataDirectory: String, safe: Safe, installed: String = Self.installedDirectory) {
        self.safe = safe
        self.own = "\(dataDirectory)/realms"
        self.installed = installed
    }

    // MARK: Reading

    /// Reads all files; a realm that an administrator installed goes before the user's own of it.
    ///
    /// Throws what is wrong with a file, where, and what to do: the mode, the owner, the size, the
    /// content, or two that cannot both be.
    func load() throws(StartError) -> StoredRealms {
        var stored = StoredRealms()
        for file in try Self.names(in: self.installed, endingIn: Self.suffix) {
            guard let realm = try Self.readInstalled("\(self.installed)/\(file)") else { continue }
            try Self.add(realm, "\(self.installed)/\(file)", to: &stored)
            stored.installed[realm.id] = "\(self.installed)/\(file)"
        }
        for file in try Self.names(in: self.own, endingIn: Self.suffix) {
            let path = "\(self.own)/\(file)"
            try Self.checkOwner(path)
            var bytes = try self.opened(file)
            defer { bytes.wipe() }
            let realm = try Self.realm(bytes, path)
            if stored.installed[realm.id] == nil { try Self.add(realm, path, to: &stored) }
        }
        for file in try Self.names(in: self.own, endingIn: Self.leftSuffix) {
            let (id, name) = try self.readLeft(file)
            if !stored.realms.contains(where: { $0.id == id }) { stored.left[id] = name }
        }
        return stored
    }

    private static func add(
        _ realm: Realm, _ path: String, to stored: inout StoredRealms
    ) throws(StartError) {
        if stored.realms.contains(where: { $0.name == realm.name || $0.id == realm.id }) {
            throw StartError(
                "\(path) is a second realm with the name or id of \"\(realm.name)\"",
                remedy: "move one of the two files away; stoa realm join --as NAME joins by "
                    + "an invitation under another name",
                exitCode: .data)
        }
        guard stored.realms.count < Limits.realms else {
            throw StartError(
                "\(path) would be the realm number \(Limits.realms + 1); a node is in at most "
                    + "\(Limits.realms)",
                remedy: "move a file you do not need away", exitCode: .data)
        }
        stored.realms.append(realm)
    }

    private static func names(
        in directory: String, endingIn suffix: String
    ) throws(StartError) -> [String] {
        do throws(SystemError) {
            return try Files.names(in: directory).filter { $0.hasSuffix(suffix) }
        } catch { throw StartError(error, exitCode: .inputOutput) }
    }

    /// Nil for a file that this user may not read: it is meant for others.
    private static func readInstalled(_ path: String) throws(StartError) -> Realm? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StartError(SystemError(errno, "stat", path), exitCode: .inputOutput)
        }
        guard access(path, R_OK) == 0 else { return nil }
        guard status.st_mode & 0o022 == 0 else {
            throw StartError(
                "\(path) has mode \(Self.mode(status)), so others can add you to a realm of theirs",
                remedy: "ask the administrator to run: chmod go-w \(path)", exitCode: .permission)
        }
        var bytes = try Self.bytes(of: path)
        defer { bytes.wipe() }
        return try Self.realm(bytes, path)
    }

    private static func checkOwner(_ path: String) throws(StartError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StartError(SystemError(errno, "stat", path), exitCode: .inputOutput)
        }
        guard status.st_uid == geteuid() else {
            throw StartError(
                "\(path) belongs to user \(status.st_uid), not to you (\(geteuid()))",
                remedy: "run stoad as that user, or move the file away", exitCode: .permission)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw StartError(
                "\(path) has mode \(Self.mode(status)), so others can read the secret of the realm",
                remedy: "run: chmod 600 \(path), and renew the secret: stoa realm rotate NAME",
                exitCode: .permission)
        }
    }

    private static func mode(_ status: stat) -> String { String(status.st_mode & 0o777, radix: 8) }

    /// The content of an own file, sealed or in the open.
    private func opened(_ file: String) throws(StartError) -> [UInt8] {
        let bytes = try Self.bytes(
            of: "\(self.own)/\(file)", limit: 2 * Self.limitBytes)
        do throws(CryptoError) {
            let content = try SealedFile.open(bytes, as: Self.place(file), by: self.safe)
            if content.count <= Self.limitBytes { return content }
        } catch {
            throw StartError(
                "\(self.own)/\(file) is sealed, and \(SafeFile.name) does not open it",
                remedy: "restore both from the same backup, or move it away to do without that "
                    + "realm",
                exitCode: .data)
        }
        throw Self.unusable("\(self.own)/\(file)", "at most \(Self.limitBytes) bytes are expected")
    }

    /// What an own file is sealed as.
    private static func place(_ file: String) -> String { "realms/\(file)" }

    /// Reads the one line of a file that is neither empty nor a comment.
    private static func realm(_ bytes: [UInt8], _ path: String) throws(StartError) -> Realm {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.unusable(path, "it is not text")
        }
        var realm: Realm?
        let lines = text.unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)
        for (index, scalars) in lines.enumerated() {
            let line = String(scalars)
            let isBlank = scalars.allSatisfy { $0 == " " || $0 == "\t" || $0 == "\r" }
            if isBlank || line.hasPrefix("#") { continue }
            guard realm == nil else {
                throw Self.unusable("\(path):\(index + 1)", "it is the second line of the file")
            }
            do throws(InvitationError) {
                realm = try RealmInvitation(line).realm
            } catch { throw Self.unusable("\(path):\(index + 1)", "\(error)") }
        }
        guard let realm else { throw Self.unusable(path, "the file is empty") }
        guard path.hasSuffix("/\(realm.name)\(Self.suffix)") else {
            throw StartError(
                "\(path) holds the realm \"\(realm.name)\"",
                remedy: "name it \(realm.name)\(Self.suffix)", exitCode: .data)
        }
        return realm
    }

    private static func unusable(_ place: String, _ why: String) -> StartError {
        StartError(
            "\(place) is not an invitation to a realm: \(why)",
            remedy: "write it again with stoa realm invite on a machine in the realm, or "
                + "move it away to do without that realm",
            exitCode: .data)
    }

    private static func bytes(
        of path: String, limit: Int = Self.limitBytes
    ) throws(StartError) -> [UInt8] {
        do throws(SystemError) {
            return try Files.read(path, limitBytes: limit)
        } catch { throw StartError(error, exitCode: .inputOutput) }
    }

    private func readLeft(_ file: String) throws(StartError) -> (RealmID, RealmName) {
        let path = "\(self.own)/\(file)"
        let text = String(decoding: try Self.bytes(of: path), as: UTF8.self)
        guard let name = RealmName(String(file.dropLast(Self.leftSuffix.count))),
            let id = RealmID(String(text.dropLast(text.hasSuffix("\n") ? 1 : 0)))
        else {
            throw StartError(
                "\(path) is not the id of a realm that was left",
                remedy: "remove it; the rooms of that realm are then shown under its id",
                exitCode: .data)
        }
        return (id, name)
    }

    // MARK: Writing

    /// Keeps a realm that was made, joined or renewed.
    func write(_ realm: Realm) throws(SystemError) {
        try Files.makePrivateDirectory(self.own)
        var bytes = Array((RealmInvitation(realm).line + "\n").utf8)
        defer { bytes.wipe() }
        try self.write(bytes, to: "\(realm.name)\(Self.suffix)")
    }

    private func write(_ bytes: [UInt8], to file: String) throws(SystemError) {
        try Files.replaceErasing(
            SealedFile.seal(bytes.span.bytes, as: Self.place(file), by: self.safe),
            to: "\(self.own)/\(file)", mode: 0o600)
    }

    /// Seals the user's own that are in the open: from before there was a safe, or put there by the user.
    ///
    /// Call it where ``load()`` has found nothing wrong with them.
    func seal() throws(StartError) {
        for file in try Self.names(in: self.own, endingIn: Self.suffix) {
            var bytes = try Self.bytes(
                of: "\(self.own)/\(file)", limit: 2 * Self.limitBytes)
            defer { bytes.wipe() }
            guard !SealedFile.isSealed(bytes) else { continue }
            do throws(SystemError) { try self.write(bytes, to: file) } catch {
                throw StartError(error, exitCode: .cannotCreate)
            }
        }
    }

    /// Forgets the secret of a realm, and keeps what it was called.
    func leave(_ realm: Realm) throws(SystemError) {
        try Files.writeAtomically(
            Array("\(realm.id)\n".utf8), to: self.path(realm.name, Self.leftSuffix))
        try Files.removeErasing(self.path(realm.name, Self.suffix))
    }

    private func path(_ name: RealmName, _ suffix: String) -> String {
        "\(self.own)/\(name)\(suffix)"
    }
}

/// What the files of realms say.
struct StoredRealms: Equatable, Sendable {
    /// All realms that the user is in.
    var realms: [Realm] = []
    /// The files of those that an administrator installed.
    var installed: [RealmID: String] = [:]
    /// What realms were called that the user has left.
    var left: [RealmID: RealmName] = [:]
    /// Whether a change is on its way to the disk; another one waits for it.
    var isChanging = false

    /// The realms as the node takes them.
    func named(by configuration: Configuration) -> Realms {
        Realms(
            self.realms, isInOpen: configuration.isInOpenRealm,
            defaultName: configuration.defaultRealm, left: self.left,
            installed: Set(self.installed.keys))
    }

    subscript(name: RealmName) -> Realm? { self.realms.first { $0.name == name } }

    /// Takes up a realm, in the place of what was known of it.
    mutating func put(_ realm: Realm) {
        self.realms.removeAll { $0.id == realm.id }
        self.realms.append(realm)
        self.left[realm.id] = nil
    }

    /// Drops a realm that was left; of two of one name that were left the later one keeps it.
    mutating func drop(_ realm: Realm) {
        self.realms.removeAll { $0.id == realm.id }
        self.left = self.left.filter { $0.value != realm.name }
        self.left[realm.id] = realm.name
    }
}
