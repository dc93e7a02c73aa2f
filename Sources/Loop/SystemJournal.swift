internal import CSystemd
internal import Glibc

/// The journal of systemd by its own protocol, which keeps fields beside a line: sd_journal_sendv(3).
package enum SystemJournal {
    /// Where it listens.
    private static let socket = "/run/systemd/journal/socket"

    /// Whether it listens and may be written to; what is sent where it does not would be lost in silence.
    package static var isThere: Bool { access(Self.socket, W_OK) == 0 }

    /// Sends one entry; false where that has failed.
    ///
    /// Any thread may call it. Names are of capital letters, digits and underscores.
    package static func send(_ fields: [(name: String, value: String)]) -> Bool {
        let texts = fields.map { Array("\($0.name)=\($0.value)".utf8) }
        // One piece of memory, so that all parts stay where they are during the call.
        var all = texts.flatMap { $0 }
        return all.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return false }
            var start = 0
            let parts = texts.map { text in
                defer { start += text.count }
                return iovec(iov_base: base + start, iov_len: text.count)
            }
            return csystemd_journal_send(parts, Int32(parts.count)) == 0
        }
    }
}
