internal import ControlAPI
internal import Crypto
internal import Formats
internal import Loop

/// The key of a slot in the keyring of the desktop.
///
/// Everything here may take some seconds, so never on the event loop.
enum DesktopKeyring {
    /// Opens a slot by its item.
    static func open(_ slot: KeyringSlot) throws(KeyringRefusal) -> Safe {
        var item = try KeyringRefusal.of { () throws(SecretService.Failure) in
            try SecretService().secret(of: slot.id, limit: KeyringSlot.itemByteCount)
        }
        defer { item.wipe() }
        do throws(CryptoError) { return try slot.open(by: item) } catch { throw .changed }
    }

    /// Makes a slot for a safe whose item is in the keyring, and was read back from there.
    static func makeSlot(
        for safe: Safe, in folder: String
    ) throws(KeyringRefusal) -> KeyringSlot {
        var random = SodiumRandom()
        var (slot, item) = KeyringSlot.make(for: safe, using: &random)
        defer { item.wipe() }
        do throws(SecretService.Failure) {
            try SecretService().keep(item, for: slot.id, label: "Stoa: the lock of \(folder)")
        } catch {
            // What is missing here is a keyring to put it into.
            throw error == .missing ? .noDefault : KeyringRefusal(error)
        }
        do throws(KeyringRefusal) { _ = try self.open(slot) } catch {
            try? self.remove(slot)
            throw .failed("it does not give back what it was given (\(error.text))")
        }
        return slot
    }

    /// Deletes the item of a slot; one that is not there is as good as deleted.
    static func remove(_ slot: KeyringSlot) throws(KeyringRefusal) {
        do throws(SecretService.Failure) { try SecretService().remove(slot.id) } catch {
            guard error != .missing else { return }
            throw KeyringRefusal(error)
        }
    }
}

/// Why the desktop's keyring does not open a node, or does not take its key.
enum KeyringRefusal: Error, Hashable, Sendable {
    case noBus(String)
    case absent
    case locked
    /// It has no keyring into which programs put what they keep.
    case noDefault
    case missing
    case changed
    case failed(String)

    init(_ failure: SecretService.Failure) {
        self =
            switch failure {
            case .noBus(let why): .noBus(why)
            case .absent: .absent
            case .locked: .locked
            case .missing: .missing
            case .other(let why): .failed(why)
            }
    }

    fileprivate static func of<Value>(
        _ body: () throws(SecretService.Failure) -> Value
    ) throws(KeyringRefusal) -> Value {
        do throws(SecretService.Failure) { return try body() } catch { throw Self(error) }
    }

    /// The word for programs.
    var reason: String {
        switch self {
        case .noBus, .absent: "keyringAbsent"
        case .locked: "keyringLocked"
        case .noDefault: "keyringNone"
        case .missing: "keyringMissing"
        case .changed: "keyringChanged"
        case .failed: "keyringFailed"
        }
    }

    /// The whole of it as a sentence without a full stop.
    var text: String {
        switch self {
        case .noBus(let why): "the bus of the desktop's session cannot be reached: \(why)"
        case .absent: "no program on the session's bus offers a keyring"
        case .locked: "the desktop's keyring is locked"
        case .noDefault: "the desktop has no default keyring"
        case .missing: "the desktop's keyring does not have the key of this node"
        case .changed: "the key in the desktop's keyring does not open this node"
        case .failed(let why): "the desktop's keyring does not answer as it should: \(why)"
        }
    }

    /// What to do next.
    var remedy: String {
        switch self {
        case .noBus, .absent, .failed:
            "log in to the desktop, or give the passphrase: stoa unlock"
        case .locked: "unlock it, or give the passphrase: stoa unlock"
        case .noDefault: "make one in the desktop's settings of passwords and keys"
        case .missing, .changed:
            "give the passphrase: stoa unlock; then put the key there anew: stoa lock keyring on"
        }
    }

    var error: RPCError { .refused(self.text, reason: self.reason, remedy: self.remedy) }
}
