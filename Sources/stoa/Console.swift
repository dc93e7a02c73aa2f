import ControlAPI
import Glibc
import Posix

/// The three standard streams of one run, and how to print to them.
final class Console {
    private let input: FileDescriptor
    private let output: FileDescriptor
    private let errors: FileDescriptor
    /// Which of the streams were closed when the program began.
    private var closed: Set<Int32> = []
    /// Whether a person looks at the output: only then may it be coloured and count as read.
    let outputIsTerminal: Bool
    /// Whether a person looks at what is reported.
    let errorsAreTerminal: Bool
    /// Whether a person types the input.
    let inputIsTerminal: Bool
    /// Whether a line can be drawn, erased and drawn again while it is typed.
    let canEdit: Bool
    private let colours: Bool
    private var pending: [UInt8] = []
    /// Why output that came before a report was not written: what flushes next throws it.
    private var lost: Failure?
    /// Whether something was changed: output that is lost from then on is told of at the end, and no fault.
    var isReport = false
    /// Why output of a change was not written.
    private(set) var unreported: Failure?
    /// What shows the output in its place, a screenful at a time.
    private var pager: Pager?

    /// How much is gathered before it is written, in bytes: one pipe's worth.
    private static let pendingBytes = 65_536
    /// `PIPE_BUF`, as in pipe(7).
    private static let pipeBytes = 4_096

    /// Takes the three streams over; `environment` decides about colour.
    init(
        input: consuming FileDescriptor, output: consuming FileDescriptor,
        errors: consuming FileDescriptor, environment: [String: String]
    ) {
        self.outputIsTerminal = isatty(output.number) == 1
        self.inputIsTerminal = isatty(input.number) == 1
        self.errorsAreTerminal = isatty(errors.number) == 1
        let canDraw =
            self.outputIsTerminal && !["", "dumb"].contains(environment["TERM", default: ""])
        self.canEdit = canDraw && self.inputIsTerminal
        self.colours = canDraw && environment["NO_COLOR", default: ""].isEmpty
        self.input = input
        self.output = output
        self.errors = errors
    }

    /// Takes over the streams of this process.
    ///
    /// One that is closed is opened on /dev/null, so that no socket gets its number; using it is an
    /// error all the same.
    convenience init(environment: [String: String]) {
        var closed: Set<Int32> = []
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            closed.insert(number)
            // Gets the lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
        self.init(
            input: FileDescriptor(owning: STDIN_FILENO),
            output: FileDescriptor(owning: STDOUT_FILENO),
            errors: FileDescriptor(owning: STDERR_FILENO), environment: environment)
        self.closed = closed
    }

    /// The input's descriptor, for waiting on it.
    var inputNumber: Int32 { self.input.number }

    /// The output's descriptor when it is a pipe, whose closing by its reader can be waited for.
    var outputPipeNumber: Int32? {
        var status = stat()
        guard fstat(self.output.number, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            return nil
        }
        return self.output.number
    }

    /// Gathers text for standard output.
    func print(_ text: String) throws(Failure) {
        self.pending.append(contentsOf: text.utf8)
        if self.pending.count >= Self.pendingBytes { try self.flush() }
    }

    /// Gathers one value as a line for standard output.
    func print(_ json: JSON) throws(Failure) {
        json.write(into: &self.pending)
        self.pending.append(0x0A)
        if self.pending.count >= Self.pendingBytes { try self.flush() }
    }

    /// Hands all gathered output to the system.
    ///
    /// Throws `Failure.outputClosed` when nobody reads any longer; nothing where it reports what was changed.
    func flush() throws(Failure) {
        do throws(Failure) { try self.flushWhole() } catch {
            guard self.isReport else { throw error }
            self.unreported = self.unreported ?? error
        }
    }

    private func flushWhole() throws(Failure) {
        if let lost = self.lost {
            self.lost = nil
            throw lost
        }
        guard !self.pending.isEmpty else { return }
        let bytes = self.pending
        self.pending = []
        guard !self.closed.contains(STDOUT_FILENO) else {
            throw Failure(
                .inputOutput, why: "standard output is closed",
                next: "open it, or use >/dev/null to discard the output")
        }
        if let pager = self.pager {
            try pager.write(bytes)
        } else {
            try Self.write(bytes, to: self.output)
        }
    }

    /// The same for what is told once, as a phrase: that nobody reads any longer is a fault then.
    func flushSecret() throws(Failure) {
        do throws(Failure) { try self.flushWhole() } catch {
            guard error == .outputClosed else { throw error }
            throw Failure(
                .inputOutput, why: "nobody reads standard output", next: "read it to the end")
        }
    }

    /// Writes bytes as they are to standard output, or to standard error.
    func pass(_ bytes: [UInt8], toErrors: Bool) throws(Failure) {
        try self.flush()
        if toErrors {
            try Self.write(bytes, to: self.errors)
        } else {
            try Self.write(bytes, to: self.output)
        }
    }

    /// Where ``passSome(_:toErrors:)`` writes to.
    func outputNumber(toErrors: Bool) -> Int32 {
        toErrors ? self.errors.number : self.output.number
    }

    /// Writes some bytes from the front, no more than a pipe takes at once that takes any; nil where nobody
    /// reads them.
    func passSome(_ bytes: ArraySlice<UInt8>, toErrors: Bool) -> Int? {
        let some = Array(bytes.prefix(Self.pipeBytes))
        let result = toErrors ? self.errors.write(some) : self.output.write(some)
        switch result {
        case .bytes(let count): return count
        case .wouldBlock: return 0
        case .failed: return nil
        }
    }

    /// Writes a message to standard error at once; output gathered before comes first.
    ///
    /// Where that cannot be written the next ``flush()`` throws, at the latest that at the end: what is
    /// reported must not make a command succeed whose output is lost.
    func report(_ text: String) {
        do throws(Failure) { try self.flush() } catch {
            if error != .outputClosed { self.lost = error }
        }
        do throws(Failure) { try Self.write(Array(text.utf8), to: self.errors) } catch {
            // Nothing can be told to a person whose streams are closed; a signal still counts.
            if error.isInterrupt { self.lost = error }
        }
    }

    /// All of standard input up to `limit` bytes and one more, which tells that it was longer.
    func readInput(limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit, let chunk = try self.readChunk() { bytes += chunk }
        return bytes
    }

    /// Asks on a terminal whether something may be deleted; elsewhere it is refused.
    ///
    /// - Parameters:
    ///   - next: what to do where nobody can be asked.
    ///   - rest: what stays.
    func agrees(
        to what: String, next: String, rest: String? = "others keep theirs"
    ) throws(Failure) -> Bool {
        let rest = rest.map { "; \($0)" } ?? ""
        guard self.inputIsTerminal else { throw .usage(what, next: next + rest) }
        self.report("\(what)\(rest). Go on? [y/N] ")
        let answer = try self.readChunk() ?? []
        return answer.first == 0x79 || answer.first == 0x59
    }

    /// What one read of standard input gives, after waiting when nothing is there; nil at its end.
    func readChunk() throws(Failure) -> [UInt8]? {
        guard !self.closed.contains(STDIN_FILENO) else {
            throw Failure(
                .inputOutput, why: "standard input is closed",
                next: "open it, or use </dev/null for no input")
        }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            // Reading would not see a signal that came just before.
            if Interrupts.descriptor != nil {
                _ = try PollWait.until(readable: [self.input.number], millisecondsAtMost: nil)
            }
            switch self.input.read(into: &buffer) {
            case .bytes(let count): return Array(buffer[..<count])
            case .end: return nil
            case .wouldBlock:
                _ = try PollWait.until(readable: [self.input.number], millisecondsAtMost: nil)
            case .failed(let error):
                throw Failure(
                    .inputOutput, why: "standard input cannot be read: \(error)",
                    next: "check where it comes from")
            }
        }
    }

    /// Whether a person answers a question with yes.
    func readYes() throws(Failure) -> Bool {
        var bytes: [UInt8] = []
        while !bytes.contains(0x0A), bytes.count < ControlLimits.wordBytes,
            let chunk = try self.readChunk()
        {
            bytes += chunk
        }
        let words = String(decoding: bytes, as: UTF8.self).lowercased()
            .split(whereSeparator: \.isWhitespace)
        return words == ["yes"]
    }

    /// Lets a pager show what is printed while `body` runs: `PAGER`, else less(1).
    ///
    /// Nothing is paged where the output is no terminal, `PAGER` is empty or `cat`, or there is none.
    ///
    /// - Parameter fromEnd: whether less(1) shows the end first.
    func paging(
        environment: [String: String], fromEnd: Bool = false,
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        guard self.outputIsTerminal else { return try body() }
        try self.flush()
        self.pager = Pager(
            environment: environment, fromEnd: fromEnd, output: self.output.number,
            errors: self.errors.number)
        defer {
            self.pager?.finish()
            self.pager = nil
        }
        do throws(Failure) {
            try body()
            try self.flush()
        } catch {
            // Who has read enough ends the pager.
            guard error == .outputClosed, self.pager != nil else { throw error }
        }
    }

    /// How many columns the terminal has: ioctl_tty(2); 80 where that is not known.
    var columns: Int {
        let size = self.size
        return size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// How wide a table may be: as wide as it gets where no person looks at it.
    var tableColumns: Int? { self.outputIsTerminal ? self.columns : nil }

    /// Rows as aligned columns, which fit the terminal.
    func table(_ rows: [[String]]) -> String { TextTable.text(rows, columns: self.tableColumns) }

    /// How many lines the terminal has; 24 where that is not known.
    var rows: Int {
        let size = self.size
        return size.ws_row > 0 ? Int(size.ws_row) : 24
    }

    private var size: winsize {
        var size = winsize()
        return ioctl(self.output.number, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
    }

    /// A text in a colour or weight, when colours are wanted.
    func styled(_ text: String, _ style: Style) -> String {
        self.colours && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// What text can look like: SGR parameters of ECMA-48.
    enum Style: Int {
        case bold = 1
        case faint = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    /// Writes all of it, waiting where that is needed; throws if a signal comes while nobody reads.
    static func write(
        _ bytes: [UInt8], to descriptor: borrowing FileDescriptor
    ) throws(Failure) {
        // A longer write may block after a signal has come, and would not see it.
        let awaitsSignals = Interrupts.descriptor != nil
        let most = awaitsSignals ? Self.pipeBytes : bytes.count
        var sent = 0
        while sent < bytes.count {
            if awaitsSignals { try PollWait.until(writable: descriptor.number) }
            let end = min(sent + most, bytes.count)
            switch descriptor.write(bytes.span.bytes.extracting(sent..<end)) {
            case .bytes(let count): sent += count
            case .wouldBlock: try PollWait.until(writable: descriptor.number)
            case .failed(let error):
                if error.code == EPIPE { throw .outputClosed }
                throw Failure(
                    .inputOutput, why: "standard output cannot be written: \(error.reason)",
                    next: error.remedy ?? "free space or choose another place")
            }
        }
    }
}

extension Failure {
    /// Nobody reads the output any longer, as when it is piped into `head`: the end, but no fault.
    static let outputClosed = Failure(.done, why: "standard output is closed", next: "")
}
