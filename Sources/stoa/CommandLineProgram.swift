import ControlAPI
import Posix

/// One run of the command line, apart from the process it runs in.
enum CommandLineProgram {
    /// Runs what the words ask for and returns how the process shall end: an ``ExitCode``, or what a
    /// command says of its own.
    ///
    /// Errors go to standard error. With `--json`, an error that the daemon answered is also printed
    /// on standard output, as an object with the one member `error`.
    static func run(
        _ words: [String], console: Console, environment: [String: String]
    ) -> Int32 {
        var json = false
        var name = ""
        do {
            switch try CommandLineParser.parse(words) {
            case .print(let text):
                try console.print(text)
            case .run(let command, let options):
                json = options.json
                name = type(of: command).syntax.name
                let context = CommandContext(
                    console: console, options: options, environment: environment)
                if type(of: command).mayTakeLong { try self.awaitSignals() }
                try command.run(in: context)
                try console.flush()
                context.warnOfLostReport(of: name)
                return context.status
            }
            try console.flush()
            return ExitCode.done.rawValue
        } catch {
            guard error != .outputClosed else { return ExitCode.done.rawValue }
            var failure = error
            if failure.what.isEmpty { failure.what = name }
            if json, let answer = failure.answer {
                try? console.print(["error": answer.json])
            }
            console.report(failure.text)
            return failure.code.rawValue
        }
    }

    private static func awaitSignals() throws(Failure) {
        do throws(SystemError) { try Interrupts.begin() } catch {
            throw Failure(.internalError, why: "\(error)", next: "close some programs")
        }
    }

    /// Runs in this process, with its arguments, environment and streams.
    static func main() -> Int32 {
        ProcessEnvironment.ignoreBrokenPipes()
        let environment = ProcessEnvironment.variables()
        let console = Console(environment: environment)
        let words = ProcessEnvironment.arguments
        if let garbled = ProcessEnvironment.garbledArgument {
            let failure = Failure(
                .badData, why: "an argument is not UTF-8: \(TerminalText.line(garbled))",
                next: "write it in UTF-8; if it is the name of a file, rename the file first")
            console.report(failure.text)
            return failure.code.rawValue
        }
        // Before anything is waited for: everybody on this machine can see the arguments of a process.
        for word in words where word.hasPrefix("stoa:") { ProcessEnvironment.wipeArgument(word) }
        return self.run(words, console: console, environment: environment)
    }
}
