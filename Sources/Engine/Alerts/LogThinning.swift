internal import Formats

/// Thins out the lines of the log that peers and strangers cause: some at once, then one a while; what is
/// left out is counted, and told with the next one.
struct LogThinning: Sendable {
    private var bucket = TokenBucket(
        capacity: Limits.peerLines, fullMilliseconds: Limits.peerLinesMilliseconds)
    private var leftOut = 0

    /// The line as it is to be written; nil where it is left out.
    mutating func line(_ text: String, at now: Instant) -> String? {
        guard self.bucket.take(at: now.monotonic) else {
            self.leftOut += 1
            return nil
        }
        defer { self.leftOut = 0 }
        return self.leftOut == 0 ? text : "\(text) (and \(self.leftOut) lines like it left out)"
    }
}
