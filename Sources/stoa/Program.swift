import ControlAPI

/// One run of the command line, apart from the process it runs in.
enum Program {
    /// Runs what the words ask for and returns how the process shall end.
    ///
    /// Errors are told on standard error. With `--json`, an error that the daemon answered is also
    /// printed on standard output, as an object with the one member `error`.
    static func run(
        _ words: [String], console: Console, environment: [String: String]
    ) -> ExitCode {
        var json = false
        var name = ""
        do {
            switch try CommandLineParser.parse(words) {
            case .print(let text):
                try console.print(text)
            case .run(let command, let options):
                json = options.json
                name = type(of: command).syntax.name
                let session = Session(
                    console: console, options: options, environment: environment)
                try command.run(in: session)
            }
            try console.flush()
            return .done
        } catch {
            guard error != .outputClosed else { return .done }
            var failure = error
            if failure.what.isEmpty { failure.what = name }
            if json, let answer = failure.answer {
                try? console.print(["error": answer.json])
            }
            console.report(failure.text)
            return failure.code
        }
    }
}
