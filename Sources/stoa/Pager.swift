import Glibc
import Posix

/// A program that shows output a screenful at a time.
final class Pager {
    /// The end of a pipe, which is closed with the last reference.
    private final class Writer {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private let process: ChildProcess
    private var writer: Writer?

    /// Starts the pager that the environment names, else less(1), before a terminal; nil where none is
    /// wanted, or it cannot be started.
    init?(environment: [String: String], fromEnd: Bool, output: Int32, errors: Int32) {
        let chosen = environment["PAGER"] ?? (fromEnd ? "less +G" : "less")
        let words = chosen.split(separator: " ").map { String($0) }
        guard !words.isEmpty, words != ["cat"], let ends = try? Pipe.make() else { return nil }
        let reading = FileDescriptor(owning: ends.output)
        self.writer = Writer(FileDescriptor(owning: ends.input))
        var variables = TerminalEntries.named(environment)
        // One screenful is not paged, colours are shown, and what was read stays on the screen.
        if variables["LESS"] == nil { variables["LESS"] = "FRX" }
        let process = try? ChildProcess(
            words, environment: variables, streams: [0: reading.number, 1: output, 2: errors])
        guard let process else { return nil }
        self.process = process
        // What is typed is for the pager.
        signal(SIGINT, SIG_IGN)
    }

    /// Hands on what is to be shown.
    func write(_ bytes: [UInt8]) throws(Failure) {
        guard let writer = self.writer else { return }
        try Console.write(bytes, to: writer.descriptor)
    }

    /// Nothing more comes: waits until the person has read enough.
    func finish() {
        self.writer = nil
        _ = self.process.wait()
        signal(SIGINT, SIG_DFL)
    }
}
