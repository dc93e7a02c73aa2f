import CLinux
import Glibc

/// A descriptor that came with bytes on a Unix socket, until somebody takes it: `SCM_RIGHTS`, unix(7).
package final class PassedDescriptor {
    private var descriptor: FileDescriptor?

    /// Takes over an open descriptor.
    package init(_ descriptor: consuming FileDescriptor) { self.descriptor = consume descriptor }

    /// Gives it to its next owner; nil where it was taken already.
    package func take() -> FileDescriptor? { self.descriptor.take() }
}

extension FileDescriptor {
    /// Reads once from a Unix socket into the front of a buffer, which must not be empty, and takes the
    /// descriptor that came with the bytes, if any: recvmsg(2).
    package borrowing func receive(
        into buffer: inout [UInt8]
    ) -> (result: ReadResult, passed: PassedDescriptor?) {
        precondition(!buffer.isEmpty, "reading needs room")
        while true {
            var number: Int32 = -1
            let count = buffer.withUnsafeMutableBytes {
                clinux_receive(self.number, $0.baseAddress, $0.count, &number)
            }
            let passed = number < 0 ? nil : PassedDescriptor(FileDescriptor(owning: number))
            if count > 0 { return (.bytes(count), passed) }
            if count == 0 { return (.end, nil) }
            let code = errno
            if code == EINTR { continue }
            if code == EAGAIN { return (.wouldBlock, nil) }
            return (.failed(.ofDescriptor(code, "read")), nil)
        }
    }

    /// Has writes to it, or reads from it, return at once where they would wait: `O_NONBLOCK`, fcntl(2).
    ///
    /// It holds for all who have the same open file.
    package borrowing func setNonblocking() throws(SystemError) {
        let flags = fcntl(self.number, F_GETFL)
        guard flags >= 0, fcntl(self.number, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw .ofDescriptor(errno, "fcntl")
        }
    }
}

extension UnixConnection {
    /// Writes all bytes as ``writeAll(_:)`` does, and passes a descriptor with the first of them; it stays
    /// the caller's.
    package func writeAll(
        _ bytes: [UInt8], passing number: Int32
    ) throws(SystemError) {
        var count = -1
        repeat {
            count = bytes.withUnsafeBytes {
                clinux_send_descriptor(self.descriptor.number, $0.baseAddress, $0.count, number)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw SystemError(
                errno == EAGAIN ? ETIMEDOUT : errno, "write to", "the daemon's socket")
        }
        try self.writeAll(Array(bytes[count...]))
    }
}
