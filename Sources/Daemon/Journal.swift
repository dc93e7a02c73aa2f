internal import ControlAPI
public import Engine
internal import Glibc

/// Writes lines to standard error, for the journal or for a terminal.
///
/// Under systemd each line starts with the level as sd-daemon(3) has it; elsewhere with
/// `stoad: level:`. Message text is never logged, and what comes from others is made visible.
public struct Journal: Sendable {
    private let threshold: LogLevel
    private let write: @Sendable (String) -> Void

    /// Makes a log that writes to standard error.
    ///
    /// - Parameters:
    ///   - threshold: what matters less than this is not written.
    ///   - isJournal: whether the journal reads standard error: `JOURNAL_STREAM` is set.
    public init(threshold: LogLevel, isJournal: Bool) {
        self.init(threshold: threshold, isJournal: isJournal) { line in
            // One call per line, so that lines of several threads do not mix. Who cannot write to
            // standard error can tell nobody of it.
            _ = Array(line.utf8).withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        }
    }

    /// Makes a log that gives each line, with its newline, to a closure that any thread may call.
    public init(
        threshold: LogLevel, isJournal: Bool, write: @escaping @Sendable (String) -> Void
    ) {
        self.threshold = threshold
        self.write = { line in write(line) }
        self.isJournal = isJournal
    }

    private let isJournal: Bool

    /// Writes one line when its level matters enough; the text is not made when it does not.
    public func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
        guard level <= self.threshold else { return }
        let line = TerminalText.line(text())
        self.write(
            self.isJournal
                ? "<\(level.rawValue)>\(line)\n" : "stoad: \(level.word): \(line)\n")
    }
}

extension LogLevel {
    /// The word for this level in logs, flags and files.
    public var word: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// All levels, the weightiest first.
    static let all: [LogLevel] = [.error, .warning, .notice, .info, .debug]

    /// Reads a level's word; nil for any other text.
    public init?(word: String) {
        guard let level = Self.all.first(where: { $0.word == word }) else { return nil }
        self = level
    }
}
