internal import ControlAPI
package import Engine
internal import Formats
internal import Glibc
internal import Loop
internal import Synchronization

/// Writes lines to standard error, for the journal or for a terminal.
///
/// Under systemd each line starts with the level as sd-daemon(3) has it; elsewhere with
/// `stoad: level:`. Message text is never logged, and what comes from others is made visible.
package struct Journal: Sendable {
    private let threshold: Threshold
    private let write: @Sendable (String) -> Void
    /// Gives a line with its fields to the journal; false where it has not taken it, nil where there is none.
    private let send: (@Sendable (JournalRecord) -> Bool)?

    /// Makes a log that writes to standard error, and gives the journal what is about something by its own
    /// protocol, where it is there: so it keeps who and what in fields.
    ///
    /// All else goes by standard error there, too, so that it is this daemon's even where that ends next.
    ///
    /// - Parameters:
    ///   - threshold: what matters less than this is not written.
    ///   - isJournal: whether the journal reads standard error: `JOURNAL_STREAM` is set.
    package init(threshold: LogLevel, isJournal: Bool) {
        self.init(
            threshold: threshold, isJournal: isJournal,
            send: isJournal && SystemJournal.isThere ? Self.sendToSystem : nil
        ) { line in
            // One call per line, so that lines of several threads do not mix. Who cannot write to
            // standard error can tell nobody of it.
            _ = Array(line.utf8).withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        }
    }

    @Sendable private static func sendToSystem(_ record: JournalRecord) -> Bool {
        SystemJournal.send(record.fields.map { (name: $0.name, value: $0.value) })
    }

    /// Makes a log that gives each line, with its newline, to a closure that any thread may call.
    package init(
        threshold: LogLevel, isJournal: Bool, write: @escaping @Sendable (String) -> Void
    ) {
        self.init(threshold: threshold, isJournal: isJournal, send: nil, write: write)
    }

    init(
        threshold: LogLevel, isJournal: Bool, send: (@Sendable (JournalRecord) -> Bool)?,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.send = send
        self.threshold = Threshold(threshold)
        self.write = { line in write(line) }
        self.isJournal = isJournal
    }

    private let isJournal: Bool

    /// Writes one line when its level matters enough; the text is not made when it does not.
    ///
    /// - Parameter subject: what it is about, which the journal keeps beside it.
    package func callAsFunction(
        _ level: LogLevel, _ text: @autoclosure () -> String,
        about subject: LogSubject = LogSubject()
    ) {
        guard level.rawValue <= self.threshold.level.load(ordering: .relaxed) else { return }
        let line = TerminalText.line(text())
        if let send = self.send, !subject.isEmpty,
            send(JournalRecord(level, line, about: subject))
        {
            return
        }
        self.write(
            self.isJournal
                ? "<\(level.rawValue)>\(line)\n" : "stoad: \(level.word): \(line)\n")
    }
}

extension Journal {
    /// What matters less is not written: shared by all copies of a log, since a reload changes it while
    /// several threads write.
    private final class Threshold: Sendable {
        let level: Atomic<Int>

        init(_ level: LogLevel) { self.level = Atomic(level.rawValue) }
    }

    /// Changes what is written, for all copies of this log.
    func change(threshold: LogLevel) {
        self.threshold.level.store(threshold.rawValue, ordering: .relaxed)
    }
}

extension LogLevel {
    /// The word for this level in logs, flags and files.
    package var word: String {
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
    package init?(word: String) {
        guard let level = Self.all.first(where: { $0.word == word }) else { return nil }
        self = level
    }
}
