import ControlAPI
import Glibc
import Posix

/// Asks the page's program for a page, and opens it in the browser.
struct PageOpening {
    /// How long the program may take to start, in milliseconds.
    private static let startMilliseconds = 10_000
    private static let program = "stoa-web"

    /// Whether a browser is opened; else the file that leads to the page is printed.
    let opens: Bool

    /// Does what a line of the program's socket asks for.
    func ask(_ request: String, _ context: CommandContext) throws(Failure) {
        let words = try self.answer(to: request, context)
        switch (words.first, words.count) {
        case ("page", 2): try self.show(file: String(words[1]), context)
        case ("code", 3):
            if context.json {
                try context.console.print([
                    "address": .string(String(words[1])), "code": .string(String(words[2])),
                ])
            } else {
                try context.console.print("\(words[1])\n\(words[2])\n")
            }
        default:
            throw Failure(
                .internalError, why: words.dropFirst().joined(separator: " "),
                next: "see that there is room in the folder of the daemon's socket")
        }
    }

    /// Asks the program that runs, or one that is started.
    private func answer(
        to request: String, _ context: CommandContext
    ) throws(Failure) -> [Substring] {
        let control = try context.socketPath()
        let path = "\(Files.parent(of: control))/web.sock"
        var connection = self.connection(path)
        if connection == nil {
            try self.start(besides: control, context)
            connection = self.connection(path, patienceMilliseconds: Self.startMilliseconds)
        }
        guard let connection else {
            throw Failure(
                .temporary, why: "\(Self.program) does not start",
                next: "run it in a terminal to see why: \(self.companion ?? Self.program)")
        }
        do throws(SystemError) {
            try connection.writeAll(Array("\(request)\n".utf8))
            var line: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while !line.contains(0x0A) {
                let count = try connection.readSome(
                    into: &buffer, timeoutMilliseconds: Self.startMilliseconds)
                guard let count, count > 0 else { break }
                line.append(contentsOf: buffer[..<count])
            }
            let text = String(decoding: line.prefix { $0 != 0x0A }, as: UTF8.self)
            return text.split(separator: " ", maxSplits: 2)
        } catch {
            throw Failure(.temporary, why: "\(error)", next: "try again")
        }
    }

    private var companion: String? { ProgramStart.companion(Self.program) }

    private func connection(
        _ path: String, patienceMilliseconds: Int = 0
    ) -> UnixConnection? {
        let deadline = SystemClock.monotonicMilliseconds() + UInt64(patienceMilliseconds)
        while true {
            if let connection = try? UnixConnection(
                path: path, timeoutMilliseconds: Self.startMilliseconds)
            {
                return connection
            }
            guard SystemClock.monotonicMilliseconds() < deadline else { return nil }
            _ = try? waitUntilReadable([], timeoutMilliseconds: 20)
        }
    }

    /// Starts the program apart from this terminal, so that it goes on without it.
    private func start(besides control: String, _ context: CommandContext) throws(Failure) {
        guard let program = self.companion else {
            throw Failure(
                .internalError, why: "\(Self.program) is not installed beside stoa",
                next: "install all of Stoa")
        }
        do throws(SystemError) {
            let number = open("/dev/null", O_RDWR | O_CLOEXEC)
            guard number >= 0 else { throw SystemError(errno, "open", "/dev/null") }
            let nowhere = FileDescriptor(owning: number)
            _ = try ChildProcess(
                [program, "--socket", control], environment: context.environment,
                streams: [0: nowhere.number, 1: nowhere.number, 2: nowhere.number])
        } catch {
            throw Failure(.internalError, why: "\(error)", next: "install all of Stoa")
        }
    }

    private func show(file: String, _ context: CommandContext) throws(Failure) {
        if self.opens {
            let status = try self.openBrowser(file, context)
            guard status == .exited(0) else {
                throw Failure(
                    .temporary, why: "no browser could be opened",
                    next: "open this file in one: \(TerminalText.line(file))")
            }
        }
        if context.json {
            try context.console.print(["file": .string(file)])
        } else if self.opens {
            try context.console.print(
                "Stoa opens in your browser; if that shows an error instead, run: stoa web --code\n"
            )
        } else {
            try context.console.print("\(TerminalText.line(file))\n")
        }
    }

    private func openBrowser(
        _ file: String, _ context: CommandContext
    ) throws(Failure) -> ChildProcess.End {
        do throws(SystemError) {
            return try ChildProcess(["xdg-open", file], environment: context.environment).wait()
        } catch {
            throw Failure(
                .temporary, why: "\(error)",
                next: "install xdg-utils, or open this file in a browser: "
                    + TerminalText.line(file))
        }
    }
}
