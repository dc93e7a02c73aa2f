/// Why a stream of lines cannot be read further.
package enum LineError: Error, Equatable, Sendable {
    /// A line holds more bytes than the limit.
    case lineTooLong(limit: Int)
}

/// Cuts a stream of bytes into lines.
///
/// Append what one read returned, then take lines until there is none, before the next read; so
/// the memory held is bounded by one line and one read. Takes linear time however the bytes are
/// cut. After a line that is too long the codec is spent: lines before it still come out, then
/// every `nextLine` throws, and bytes appended later are dropped, because nothing tells where
/// the next message begins in a stream whose sender breaks the rule.
package struct LineCodec: Sendable {
    private let limit: Int
    private var buffer: [UInt8] = []
    /// Where the first line that was not taken begins.
    private var start = 0
    /// The ends (positions of the newline) of complete lines, oldest first, from `nextEnd` on.
    private var ends: [Int] = []
    private var nextEnd = 0
    /// Where the last, incomplete line begins.
    private var tail = 0
    private var failed = false

    /// Makes a codec for lines of at most `limit` bytes, not counting the newline.
    package init(limit: Int = ControlLimits.lineBytes) {
        precondition(limit > 0, "a line needs room")
        self.limit = limit
    }

    /// Whether bytes of an unfinished line are held; at the end of a stream it was cut off.
    package var hasPartialLine: Bool { self.tail < self.buffer.count }

    /// Adds bytes that were read, for instance the front of a buffer.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !self.failed else { return }
        self.compact()
        var rest = bytes
        while let newline = rest.span.firstNewline.map({ rest.startIndex + $0 }) {
            guard self.take(rest[..<newline]) else { return }
            self.ends.append(self.buffer.count)
            self.buffer.append(0x0A)
            self.tail = self.buffer.count
            rest = rest[(newline + 1)...]
        }
        _ = self.take(rest)
    }

    /// Adds bytes that were read.
    package mutating func append(_ bytes: [UInt8]) { self.append(bytes[...]) }

    /// Adds a part of one line, or fails for good when the line would pass the limit.
    private mutating func take(_ part: ArraySlice<UInt8>) -> Bool {
        guard self.buffer.count - self.tail + part.count <= self.limit else {
            self.failed = true
            self.buffer.removeSubrange(self.tail...)
            return false
        }
        self.buffer.append(contentsOf: part)
        return true
    }

    /// The next line without its newline, or nil when more bytes are needed.
    ///
    /// Throws `LineError.lineTooLong` once all lines before the overlong one were taken, and at
    /// every call thereafter.
    package mutating func nextLine() throws(LineError) -> [UInt8]? {
        guard self.nextEnd < self.ends.count else {
            if self.failed { throw .lineTooLong(limit: self.limit) }
            return nil
        }
        let end = self.ends[self.nextEnd]
        let line = Array(self.buffer[self.start..<end])
        self.start = end + 1
        self.nextEnd += 1
        return line
    }

    /// Drops what was taken; moves bytes only when at least as many were taken as are moved.
    private mutating func compact() {
        guard self.start > 0, self.start >= self.buffer.count - self.start else { return }
        self.buffer.removeSubrange(..<self.start)
        self.tail -= self.start
        self.ends.removeSubrange(..<self.nextEnd)
        for index in self.ends.indices { self.ends[index] -= self.start }
        self.nextEnd = 0
        self.start = 0
    }
}

extension Span<UInt8> {
    /// Where the first newline is; nil where there is none.
    fileprivate var firstNewline: Int? {
        var start = 0
        // Eight at a time, as long as none is among them.
        while start + 8 <= self.count, !self.bytes.word(at: start).hasByte(0x0A) { start += 8 }
        return self.indices[start...].first { self[$0] == 0x0A }
    }
}
