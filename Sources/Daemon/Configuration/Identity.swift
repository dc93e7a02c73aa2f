internal import Glibc
package import Crypto
internal import Engine
package import Formats
internal import Posix

/// Who a daemon is: the key of this device, and whose device it is.
package struct OwnIdentity: Sendable {
    /// The device's key, which names the node.
    package let signer: Signer
    /// The person's word that the device is theirs.
    package let certificate: Certificate
    package internal(set) var person: PersonKeys
    /// Whether this start has made the device's key.
    package let isNew: Bool
    /// Whether the person's keys come from systemd, so that no other may take their place.
    let isPersonGiven: Bool

    /// Puts an identity together.
    init(
        signer: Signer, certificate: Certificate, person: PersonKeys, isNew: Bool,
        isPersonGiven: Bool
    ) {
        self.signer = signer
        self.certificate = certificate
        self.person = person
        self.isNew = isNew
        self.isPersonGiven = isPersonGiven
    }
}

/// The identity on disk: the keys of the device and of its person, and the certificate.
///
/// Anyone who has the two key files can act as their owner, so only that user may read them.
/// `Docs/Data.md`.
package enum Identity {
    /// The device's key: the 32 bytes of an Ed25519 seed, RFC 8032 section 5.1.5.
    ///
    /// Also the name of the credential.
    package static let fileName = "identity.key"
    /// The person's key P: a byte that says what follows, and the seed, or on a linked device the
    /// public key; see ``KeyForm``.
    ///
    /// Also the name of the credential. Until both keys got files of their own it had the seed of P,
    /// then the secret of X; such a file is split at the next start, and such a credential is taken.
    package static let personFileName = "person.key"
    /// The person's key X: the same byte, and the secret.
    ///
    /// Also the name of the credential.
    package static let sealingFileName = "sealing.key"
    /// The certificate of the device, so that it stays the same over restarts.
    package static let certificateFileName = "device.cert"
    /// The files that hold a key, which the safe seals.
    static let secretNames = [fileName, personFileName, sealingFileName]
    /// The store's files, which are made after the keys.
    private static let databaseNames = ["stoa.db", "stoa.db-wal"]

    /// Loads the identity, and makes what is missing at the first start.
    ///
    /// A credential that systemd hands over (`LoadCredential=identity.key`, `person.key`, found by
    /// `CREDENTIALS_DIRECTORY`) goes before the file of that name. A new file is written and synced
    /// whole before this returns. Throws when a file has another size, mode or owner, it is never
    /// replaced; when a key is missing beside a database or a certificate, which belong to one that
    /// is lost; and when the certificate is not one of that device by that person. What is sound and
    /// in the open is sealed then.
    package static func load(
        dataDirectory: String, credentialsDirectory: String?, safe: Safe
    ) throws(StartError) -> OwnIdentity {
        let folders = KeyFolders(
            data: dataDirectory, credentials: credentialsDirectory, safe: safe)
        let (signer, isNew) = try Self.device(folders)
        let person = try Self.person(folders)
        let certificate = try Self.certificate(folders, of: signer, person)
        for name in Self.secretNames { try folders.seal(name) }
        return OwnIdentity(
            signer: signer, certificate: certificate, person: person, isNew: isNew,
            isPersonGiven: [Self.personFileName, Self.sealingFileName].contains {
                folders.credential($0) != nil
            })
    }

    /// Makes the device that of another person, whose certificate the next
    /// ``load(dataDirectory:credentialsDirectory:safe:)`` makes; nothing happens where it is theirs already.
    static func replacePerson(
        _ person: PersonKeys, dataDirectory: String, safe: Safe
    ) throws(StartError) {
        let folders = KeyFolders(data: dataDirectory, credentials: nil, safe: safe)
        try person.withBytes { (seed, address) throws(StartError) in
            guard try !folders.has(Self.personFileName, .secret, seed) else { return }
            // First, since it would not be that of the new person.
            try folders.remove(Self.certificateFileName)
            try folders.write(Self.sealingFileName, .secret, address)
            try folders.write(Self.personFileName, .secret, seed)
        }
    }

    /// Has a device of the person hold P; its certificate and X stay.
    static func takeP(
        of person: PersonKeys, dataDirectory: String, safe: Safe
    ) throws(StartError) {
        let folders = KeyFolders(data: dataDirectory, credentials: nil, safe: safe)
        try person.withBytes { (seed, _) throws(StartError) in
            try folders.write(Self.personFileName, .secret, seed)
        }
    }

    /// Makes the device one of the person that has certified it, without P.
    ///
    /// Where it was theirs already, each file holds afterwards what it held, but for P's own.
    static func takeLinked(
        _ certificate: Certificate, _ person: PersonKeys, dataDirectory: String, safe: Safe
    ) throws(StartError) {
        let folders = KeyFolders(data: dataDirectory, credentials: nil, safe: safe)
        try person.withAddress { (address) throws(StartError) in
            try folders.write(Self.sealingFileName, .secret, address)
        }
        let encoded = certificate.encoded
        try folders.writeOpen(Self.certificateFileName, encoded)
        let signing = certificate.person.bytes
        try folders.write(Self.personFileName, .publicKey, signing.span.bytes)
    }

    /// Loads the device's key, and makes it at the first start; looks at nothing else.
    ///
    /// Throws as ``load(dataDirectory:credentialsDirectory:safe:)`` does.
    static func device(
        dataDirectory: String, credentialsDirectory: String?, safe: Safe
    ) throws(StartError) -> Signer {
        try Self.device(
            KeyFolders(data: dataDirectory, credentials: credentialsDirectory, safe: safe)
        ).signer
    }

    private static func device(
        _ folders: KeyFolders
    ) throws(StartError) -> (signer: Signer, isNew: Bool) {
        let found = try folders.read(Self.fileName, byteCount: SigningKey.seedByteCount) { bytes in
            do throws(CryptoError) { return Signer(try SigningKey(seed: bytes)) } catch {
                return nil
            }
        }
        if let found { return (found, false) }
        try Self.refuseIfLost(
            Self.fileName, folders, but: "a new one would be another device",
            away: [Self.certificateFileName], beginningAs: "a new device")
        let signer = Signer(SigningKey.generate())
        try signer.withSeed { (seed) throws(StartError) in
            try folders.write(Self.fileName, seed)
        }
        return (signer, true)
    }

    private static func person(_ folders: KeyFolders) throws(StartError) -> PersonKeys {
        guard var found = try folders.bytes(of: Self.personFileName) else {
            try Self.refuseIfLost(
                Self.personFileName, folders, but: "a new one would make you another person",
                away: [Self.sealingFileName, Self.fileName, Self.certificateFileName],
                beginningAs: "a new person")
            let person = PersonKeys.generate()
            try Self.write(person, to: folders)
            return person
        }
        defer { found.wipe() }
        // The layout of before, without a byte that says what follows.
        if let person = try? PersonKeys(found.span.bytes) {
            if folders.mayReplace(Self.personFileName) { try Self.write(person, to: folders) }
            return person
        }
        let form = try folders.form(of: found, in: Self.personFileName)
        guard var address = try folders.bytes(of: Self.sealingFileName) else {
            let moved = Self.databaseNames + [Self.personFileName, Self.certificateFileName]
            throw StartError(
                "\(folders.data)/\(Self.sealingFileName) is missing beside \(Self.personFileName); "
                    + "a new one would make you another person",
                remedy: "restore \(Self.sealingFileName) from a backup, or move "
                    + "\(moved.joined(separator: ", ")) away to begin as a new person",
                exitCode: .data)
        }
        defer { address.wipe() }
        let isSecret = try folders.form(of: address, in: Self.sealingFileName) == .secret
        let (key, secret) = (found.span.bytes.extracting(1...), address.span.bytes.extracting(1...))
        let person =
            switch form {
            case .secret: try? PersonKeys(seed: key, address: secret)
            case .publicKey:
                Bytes32(key).flatMap { try? PersonKeys(signing: $0, address: secret) }
            }
        guard isSecret, let person else {
            throw folders.unreadable(Self.sealingFileName, "does not hold a secret key")
        }
        return person
    }

    /// X first: of the two, a start takes the file of P for a sign that both are there.
    private static func write(_ person: PersonKeys, to folders: KeyFolders) throws(StartError) {
        try person.withBytes { (seed, address) throws(StartError) in
            try folders.write(Self.sealingFileName, .secret, address)
            try folders.write(Self.personFileName, .secret, seed)
        }
    }

    /// Throws where a missing key had been used.
    private static func refuseIfLost(
        _ name: String, _ folders: KeyFolders, but consequence: String, away others: [String],
        beginningAs what: String
    ) throws(StartError) {
        let traces = [Self.databaseNames[0], Self.certificateFileName]
        guard let trace = traces.first(where: { Files.exists("\(folders.data)/\($0)") }) else {
            return
        }
        let moved = (Self.databaseNames + others).joined(separator: ", ")
        throw StartError(
            "\(folders.data)/\(name) is missing beside \(trace), which belongs to it; "
                + consequence,
            remedy: "restore \(name) from a backup, or move \(moved) away to begin as \(what)",
            exitCode: .data)
    }

    private static func certificate(
        _ folders: KeyFolders, of signer: Signer, _ person: PersonKeys
    ) throws(StartError) -> Certificate {
        let name = Self.certificateFileName
        let found = try folders.read(name, byteCount: Certificate.byteCount) { bytes in
            try? Certificate(decoding: bytes.withUnsafeBytes { [UInt8]($0) })
        }
        guard let found else {
            guard person.canCertify else {
                throw StartError(
                    "\(folders.data)/\(name) is missing, and this device cannot make another one",
                    remedy:
                        "restore it from a backup of this folder; or move the folder away, start "
                        + "stoad, and link this device again: stoa device link",
                    exitCode: .data)
            }
            let made = person.certify(signer, at: SystemClock.wallMilliseconds())
            try folders.writeOpen(name, made.encoded)
            return made
        }
        let isOfDevice =
            found.isValid(for: PeerID(signer.publicKey))
            && found.deviceAddress == DeviceAddress.publicKey(of: signer)
        guard isOfDevice, person.hasSigned(found) else {
            let isOfP = found.person == person.publicKeys.signing
            let other =
                isOfDevice ? isOfP ? Self.sealingFileName : Self.personFileName : Self.fileName
            throw StartError(
                "\(folders.data)/\(name) does not belong to \(other)",
                remedy: "restore both from the same backup, or move \(name) away to have a new "
                    + "one made from the existing keys",
                exitCode: .data)
        }
        return found
    }
}

/// What follows the first byte of a person's key file.
private enum KeyForm: UInt8 {
    /// A seed or a secret as it is.
    case secret = 0
    /// The public key, on a device that may not certify others.
    case publicKey = 2

    /// Reserved for a key that is encrypted.
    static let sealed: UInt8 = 1
}

/// Where the files of an identity lie.
private struct KeyFolders {
    let data: String
    let credentials: String?
    let safe: Safe

    /// The path of a credential of that name; nil where systemd hands none over.
    func credential(_ name: String) -> String? {
        self.credentials.map { "\($0)/\(name)" }.flatMap { Files.exists($0) ? $0 : nil }
    }

    /// Whether a file may be written anew: it is no credential, and its disk takes it.
    func mayReplace(_ name: String) -> Bool {
        self.credential(name) == nil && !Files.isOnReadOnlySystem(self.data)
    }

    /// Reads a file of exactly so many bytes; nil where there is none.
    func read<Value>(
        _ name: String, byteCount: Int, _ make: (RawSpan) -> Value?
    ) throws(StartError) -> Value? {
        guard var bytes = try self.bytes(of: name) else { return nil }
        defer { bytes.wipe() }
        guard bytes.count == byteCount, let value = make(bytes.span.bytes) else {
            throw self.wrongSize(name, bytes.count, byteCount)
        }
        return value
    }

    /// The bytes of a file, opened where it is sealed; nil where there is none.
    func bytes(of name: String) throws(StartError) -> [UInt8]? {
        let path = self.path(of: name)
        // Others cannot enter the folder of credentials, so systemd's own mode (0400 or 0440) is sound.
        if self.credential(name) == nil {
            guard Files.exists(path) else { return nil }
            try StartError.refuseKeyOfOthers(path)
        }
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: 4_096)
        } catch { throw StartError(error, exitCode: .inputOutput) }
        defer { bytes.wipe() }
        do throws(CryptoError) {
            return try SealedFile.open(bytes, as: name, by: self.safe)
        } catch {
            throw StartError(
                "\(path) is sealed, and \(self.data)/\(SafeFile.name) does not open it",
                remedy: "restore both from the same backup of this folder", exitCode: .data)
        }
    }

    /// Seals a file of the data directory that an earlier version has left in the open.
    func seal(_ name: String) throws(StartError) {
        let path = "\(self.data)/\(name)"
        guard Files.exists(path), !Files.isOnReadOnlySystem(self.data) else { return }
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: 4_096)
        } catch { throw StartError(error, exitCode: .inputOutput) }
        defer { bytes.wipe() }
        guard !SealedFile.isSealed(bytes) else { return }
        try self.write(name, bytes.span.bytes)
    }

    private func path(of name: String) -> String {
        self.credential(name) ?? "\(self.data)/\(name)"
    }

    /// What the bytes of a key's file say that follows the first of them.
    func form(of bytes: [UInt8], in name: String) throws(StartError) -> KeyForm {
        let byteCount = 1 + SigningKey.seedByteCount
        guard bytes.count == byteCount else { throw self.wrongSize(name, bytes.count, byteCount) }
        guard bytes[0] != KeyForm.sealed else {
            throw StartError(
                "\(self.path(of: name)) is sealed, and this version of Stoa cannot open it",
                remedy: "install the version that sealed it", exitCode: .data)
        }
        guard let form = KeyForm(rawValue: bytes[0]) else {
            throw self.unreadable(name, "begins with a byte that means nothing here")
        }
        return form
    }

    func unreadable(_ name: String, _ what: String) -> StartError {
        StartError(
            "\(self.path(of: name)) \(what)",
            remedy: "restore it from a backup; without it, others take you for a different person",
            exitCode: .data)
    }

    private func wrongSize(_ name: String, _ found: Int, _ wanted: Int) -> StartError {
        self.unreadable(name, "has \(found) bytes instead of \(wanted)")
    }

    /// Whether a file of the data directory holds just this key.
    func has(_ name: String, _ form: KeyForm, _ key: RawSpan) throws(StartError) -> Bool {
        guard var bytes = try self.bytes(of: name) else { return false }
        defer { bytes.wipe() }
        return bytes.first == form.rawValue
            && key.withUnsafeBytes { bytes.dropFirst().elementsEqual($0) }
    }

    /// Removes a file of the data directory.
    func remove(_ name: String) throws(StartError) {
        do throws(SystemError) { try Files.remove("\(self.data)/\(name)") } catch {
            throw StartError(error, exitCode: .cannotCreate)
        }
    }

    /// Writes a file of the data directory whole: a key behind the byte that says what it is.
    func write(_ name: String, _ form: KeyForm, _ key: RawSpan) throws(StartError) {
        let header = [form.rawValue]
        try self.write(name, header.span.bytes, key)
    }

    /// Writes a file of the data directory whole and in the open, since there is no secret in it.
    func writeOpen(_ name: String, _ bytes: [UInt8]) throws(StartError) {
        do throws(SystemError) {
            try Files.writeAtomically(bytes, to: "\(self.data)/\(name)", mode: 0o600)
        } catch { throw StartError(error, exitCode: .cannotCreate) }
    }

    /// Writes a file of the data directory whole and sealed.
    func write(
        _ name: String, _ bytes: RawSpan, _ more: RawSpan = RawSpan()
    ) throws(StartError) {
        var whole: [UInt8] = []
        // So that no copy is left behind where the array has grown.
        whole.reserveCapacity(bytes.byteCount + more.byteCount)
        defer { whole.wipe() }
        bytes.withUnsafeBytes { whole.append(contentsOf: $0) }
        more.withUnsafeBytes { whole.append(contentsOf: $0) }
        let sealed = SealedFile.seal(whole.span.bytes, as: name, by: self.safe)
        do throws(SystemError) {
            try Files.replaceErasing(
                sealed, to: "\(self.data)/\(name)", mode: 0o600)
        } catch { throw StartError(error, exitCode: .cannotCreate) }
    }
}
