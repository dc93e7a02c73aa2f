import Glibc

/// Why a daemon did not start, kept beside its socket for whoever asks what is wrong: not everybody may read
/// the journal, and not every daemon writes to it.
package struct LastWords {
    private static let limitBytes = 4_096
    private let path: String

    /// - Parameter socket: the path of the daemon's control socket.
    package init(socket: String) { self.path = "\(socket).failed" }

    /// Keeps them until a start succeeds; where that fails, the log alone has them.
    package func keep(_ text: String) {
        guard (try? Files.makeDirectories(Files.parent(of: self.path))) != nil else { return }
        try? Files.writeAtomically(
            Array(text.utf8.prefix(Self.limitBytes)), to: self.path, mode: 0o600)
    }

    /// A start has succeeded.
    package func forget() { unlink(self.path) }

    /// What was kept by the same user; nil for nothing.
    package var text: String? {
        guard Files.permissions(self.path)?.isOwn == true,
            let bytes = try? Files.read(self.path, limitBytes: Self.limitBytes), !bytes.isEmpty
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
