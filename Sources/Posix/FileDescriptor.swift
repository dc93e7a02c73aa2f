import Glibc

/// An open file descriptor with one owner, closed exactly once.
///
/// It cannot be copied; keep it in a stored property of the class or struct that owns the file.
/// Calls retry after `EINTR`, unless ``Interrupts`` has a signal, and trap on `EBADF`, which only a broken
/// owner can cause.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for calls that only borrow it; it must not be closed or outlive this value.
    package let number: Int32

    /// Takes over an open descriptor, which nothing else may close from then on.
    package init(owning number: Int32) {
        precondition(number >= 0, "an open descriptor is not negative")
        self.number = number
    }

    deinit {
        FileDescriptor.close(self.number)
    }

    /// Gives the descriptor up without closing it, and returns its number to the next owner.
    package consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    /// Closes now instead of at the end of the owner's life.
    package consuming func close() {
        let number = self.number
        discard self
        FileDescriptor.close(number)
    }

    private static func close(_ number: Int32) {
        // After EINTR Linux has closed the descriptor all the same, so there is no second try.
        // Write errors that close(2) may report are of no use here: durable files are synced.
        if Glibc.close(number) != 0 {
            precondition(errno != EBADF, "a descriptor was closed twice")
        }
    }
}

/// What one attempt to read came to.
package enum ReadResult: Hashable, Sendable {
    /// So many bytes are at the front of the buffer; at least one.
    case bytes(Int)
    /// Nothing is there at present; wait until the descriptor is readable.
    case wouldBlock
    /// The other side has finished writing.
    case end
    /// The stream is broken; close it.
    case failed(SystemError)
}

/// What one attempt to write came to.
package enum WriteResult: Hashable, Sendable {
    /// So many bytes were taken, perhaps fewer than were offered.
    case bytes(Int)
    /// Nothing can be taken at present; wait until the descriptor is writable.
    case wouldBlock
    /// The stream is broken; close it.
    case failed(SystemError)
}

extension FileDescriptor {
    /// Reads once into the front of a buffer, which must not be empty: read(2).
    ///
    /// - Parameter limit: how many bytes at most, where that is less than the buffer holds; at least one.
    package borrowing func read(into buffer: inout [UInt8], limit: Int = .max) -> ReadResult {
        precondition(!buffer.isEmpty && limit > 0, "reading needs room")
        while true {
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(self.number, $0.baseAddress, min($0.count, limit))
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            let code = errno
            // Whoever waits for the descriptor then sees the signal.
            if code == EINTR, Interrupts.isWaiting { return .wouldBlock }
            if code == EINTR { continue }
            if code == EAGAIN { return .wouldBlock }
            return .failed(.ofDescriptor(code, "read"))
        }
    }

    /// Writes once, as much as fits: write(2).
    ///
    /// For sockets use ``send(_:)``, which cannot raise `SIGPIPE`.
    package borrowing func write(_ bytes: RawSpan) -> WriteResult {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.write(self.number, $0.baseAddress, $0.count)
            }
            if count >= 0 { return .bytes(count) }
            let code = errno
            // Whoever waits for the descriptor then sees the signal.
            if code == EINTR, Interrupts.isWaiting { return .wouldBlock }
            if code == EINTR { continue }
            if code == EAGAIN { return .wouldBlock }
            return .failed(.ofDescriptor(code, "write"))
        }
    }

    /// Writes once from part of an array: ``write(_:)`` for callers that keep an offset.
    package borrowing func write(_ bytes: [UInt8], from offset: Int = 0) -> WriteResult {
        precondition(offset <= bytes.count, "the offset lies within the bytes")
        return self.write(bytes.span.bytes.extracting(offset..<bytes.count))
    }

    /// Sends once on a connected socket, as much as fits: send(2) with `MSG_NOSIGNAL`.
    package borrowing func send(_ bytes: RawSpan) -> WriteResult {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(self.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .bytes(count) }
            let code = errno
            // Whoever waits for the descriptor then sees the signal.
            if code == EINTR, Interrupts.isWaiting { return .wouldBlock }
            if code == EINTR { continue }
            if code == EAGAIN { return .wouldBlock }
            return .failed(.ofDescriptor(code, "send"))
        }
    }

    /// Sends once from part of an array: ``send(_:)`` for callers that keep an offset.
    package borrowing func send(_ bytes: [UInt8], from offset: Int = 0) -> WriteResult {
        precondition(offset <= bytes.count, "the offset lies within the bytes")
        return self.send(bytes.span.bytes.extracting(offset..<bytes.count))
    }

    /// Ends the sending direction, so that the other side reads the end: shutdown(2).
    ///
    /// A stream that the other side has closed meanwhile counts as done.
    package borrowing func finishSending() {
        if shutdown(self.number, Int32(SHUT_WR)) != 0 {
            precondition(errno != EBADF, "a closed descriptor was used")
        }
    }
}
