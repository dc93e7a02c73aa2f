import ControlAPI
import Posix

/// How far something is, on one line of a terminal that is drawn again and again.
struct ProgressLine {
    private static let milliseconds: UInt64 = 250
    private let console: Console
    private let name: String
    private let total: Int64
    private let start = SystemClock.monotonicMilliseconds()
    private var drawnAt: UInt64 = 0

    init(_ console: Console, name: String, total: Int64) {
        self.console = console
        self.name = TerminalText.line(name)
        self.total = total
    }

    /// Draws it, where somebody looks and it is time.
    mutating func draw(_ count: Int64) {
        let now = SystemClock.monotonicMilliseconds()
        guard self.console.errorsAreTerminal, now >= self.drawnAt + Self.milliseconds,
            now >= self.start + Self.milliseconds
        else { return }
        self.drawnAt = now
        let seconds = Double(now - self.start) / 1_000
        let rate = Double(count) / max(seconds, 0.001)
        let percent = self.total > 0 ? Int(Double(count) / Double(self.total) * 100) : 100
        let left = rate > 0 ? Int((Double(self.total - count) / rate).rounded(.up)) : 0
        let filled = percent / 5
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
        let text =
            "[\(bar)] \(percent)% of \(ByteCount.text(self.total)), "
            + "\(ByteCount.text(Int64(rate)))/s, \(Self.time(left)) left"
        self.console.report("\r\u{1B}[K\(text) \(self.name.prefix(24))")
    }

    /// Takes the line away.
    func clear() {
        if self.drawnAt > 0 { self.console.report("\r\u{1B}[K") }
    }

    private static func time(_ seconds: Int) -> String {
        seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}
