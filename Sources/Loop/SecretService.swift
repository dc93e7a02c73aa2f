import CSystemd
import Glibc
import Posix

/// The desktop's keyring, over the bus of the user's session: the Secret Service API.
///
/// For one thread that may wait: opening it and each call take at most five seconds. No prompt is ever shown.
package final class SecretService {
    /// Why the keyring does not do what it is asked for.
    package enum Failure: Error, Hashable, Sendable {
        /// There is no bus of a session, for the reason given.
        case noBus(String)
        /// Nobody on the bus offers a keyring.
        case absent
        /// It would have to be unlocked first.
        case locked
        /// It lacks what is asked for.
        case missing
        case other(String)
    }

    /// How long the bus, or an answer, may take, in microseconds.
    private static let patienceMicroseconds: UInt64 = 5_000_000

    private let bus: OpaquePointer
    /// The path of the session in which secrets are passed.
    private let session: UnsafeMutablePointer<CChar>

    /// Connects, which starts a keyring where the bus knows one.
    package init() throws(Failure) {
        var bus: OpaquePointer?
        let code = csystemd_session_bus(&bus, Self.patienceMicroseconds)
        guard code >= 0, let bus else { throw .noBus(SystemError(-code, "connect").cause) }
        var session: UnsafeMutablePointer<CChar>?
        let opened = csystemd_secrets_open(bus, &session)
        guard opened >= 0, let session else {
            sd_bus_close_unref(bus)
            throw opened < 0 ? Failure(opened) : .other("no memory")
        }
        (self.bus, self.session) = (bus, session)
    }

    deinit {
        free(self.session)
        sd_bus_flush_close_unref(self.bus)
    }

    /// What the item of a slot has; the caller wipes it.
    ///
    /// - Parameter limit: the most bytes that it may have.
    package func secret(of slot: String, limit: Int) throws(Failure) -> [UInt8] {
        let item = try self.find(slot)
        defer { free(item) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        try Self.check(
            csystemd_secrets_read(self.bus, item, self.session, &bytes, limit, &count))
        // Shorter in place, so that no other copy is made.
        bytes.removeLast(limit - count)
        return bytes
    }

    /// Puts an item into the default keyring.
    package func keep(_ secret: [UInt8], for slot: String, label: String) throws(Failure) {
        try Self.check(
            csystemd_secrets_keep(self.bus, self.session, label, slot, secret, secret.count))
    }

    /// Deletes the item of a slot.
    package func remove(_ slot: String) throws(Failure) {
        let item = try self.find(slot)
        defer { free(item) }
        try Self.check(csystemd_secrets_delete(self.bus, item))
    }

    private func find(_ slot: String) throws(Failure) -> UnsafeMutablePointer<CChar> {
        var item: UnsafeMutablePointer<CChar>?
        try Self.check(csystemd_secrets_find(self.bus, slot, &item))
        guard let item else { throw .other("no memory") }
        return item
    }

    private static func check(_ code: Int32) throws(Failure) {
        if code < 0 { throw Failure(code) }
    }
}

extension SecretService.Failure {
    fileprivate init(_ code: Int32) {
        self =
            switch -code {
            case EHOSTUNREACH: .absent
            case ENOKEY: .locked
            case ENOENT: .missing
            default: .other(SystemError(-code, "call").cause)
            }
    }
}
