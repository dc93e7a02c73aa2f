import ControlAPI
import ControlClient
import Posix

/// The command `stoa sites`: what the program `stoa-sites` does, or the stream that it needs.
struct SitesCommand: Subcommand {
    static let syntax = CommandSyntax(
        "sites", "Show what is shared with other sites, or set up the servers between them.",
        examples: ["stoa sites", "stoa sites setup", "stoa sites setup --days 365 --replicas 3"],
        operands: ["[setup]"],
        options: [
            OptionSyntax(
                "--days", "N", "with setup: how long the servers keep messages; 90 if left out"),
            OptionSyntax("--size", "BYTES", "with setup: how much they keep; 10 GiB if left out"),
            OptionSyntax(
                "--file-days", "N", "with setup: how long the servers keep files; 30 if left out"),
            OptionSyntax(
                "--file-size", "BYTES", "with setup: how much of files they keep; 8 GiB if left out"
            ),
            OptionSyntax(
                "--replicas", "N", "with setup: on how many servers of the cluster; 1 if left out"),
        ],
        details: [
            "Rooms of one realm are shared between several local networks over NATS servers. Sites= and SitesRealm= in stoad.conf name the servers and the realm; the program stoa-sites does the work: systemctl --user enable --now stoa-sites. The guide explains it under Several sites.",
            "The word setup makes the streams STOA and STOA_FILES on the servers once, for everybody. A stream that is there stays as it is.",
            "Files up to SitesFileLimit go by way of the servers, too; larger ones are fetched from a linked peer that has them.",
        ])

    private let setup: [String]?

    init(_ arguments: ParsedArguments) throws(Failure) {
        var words: [String] = []
        for (option, limits) in [
            ("--days", 1...36_500), ("--size", 1 << 20...1 << 50),
            ("--file-days", 1...36_500), ("--file-size", 1 << 20...1 << 50), ("--replicas", 1...5),
        ] {
            guard let text = arguments.value(option) else { continue }
            guard let number = Int64(text), limits.contains(Int(number)) else {
                throw .usage(
                    "\(option) cannot be \"\(TerminalText.line(text))\"",
                    next: "give a number from \(limits.lowerBound) to \(limits.upperBound)")
            }
            words += [option, text]
        }
        switch arguments.operands.first {
        case nil:
            guard words.isEmpty else {
                throw .usage("\(words[0]) goes with setup", next: "stoa sites setup \(words[0]) …")
            }
            self.setup = nil
        case "setup"?: self.setup = words
        case let other?:
            throw .usage(
                "sites cannot do \"\(TerminalText.line(other))\"",
                next: "usage: \(Self.syntax.usage)")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        let socket = try context.socketPath()
        if let words = self.setup {
            guard let program = ProgramStart.companion("stoa-sites") else {
                throw Failure(
                    .internalError, why: "stoa-sites is not installed beside stoa",
                    next: "install stoa-sites")
            }
            let error = ProgramStart.become(
                program, [program, "--socket", socket, "--setup"] + words)
            throw Failure(.internalError, why: "\(error)", next: "install stoa-sites")
        }
        guard let sites = DiagnosisFacts.Sites(besides: socket) else {
            throw Failure(
                .noDaemon, why: "stoa-sites is not running",
                next: "start it: systemctl --user enable --now stoa-sites")
        }
        guard sites.isRunning else {
            throw Failure(
                .noDaemon, why: "stoa-sites has ended",
                next: "see why: journalctl --user -u stoa-sites")
        }
        let report = sites.report
        if context.json { return try context.console.print(report.json) }
        try context.console.print(context.console.table(Self.rows(report)))
    }

    private static func rows(_ report: SitesReport) -> [[String]] {
        var rows: [[String]] = []
        let since = report.since.map { " since \(LocalTime.text($0))" } ?? ""
        switch report.state {
        case .linked: rows.append(["servers", "linked" + since])
        case .unlinked: rows.append(["servers", "not linked" + since])
        case .noStream: rows.append(["servers", "no stream" + since])
        case .noDaemon: rows.append(["daemon", "does not answer" + since])
        }
        if let server = report.server { rows.append(["server", server.shown]) }
        if let problem = report.problem { rows.append(["problem", problem.shown]) }
        rows.append(["published", "\(report.published)"])
        rows.append(["brought here", "\(report.taken)"])
        if report.waiting > 0 { rows.append(["to be read", "\(report.waiting)"]) }
        if report.missing > 0 { rows.append(["wait for others", "\(report.missing)"]) }
        for refused in report.refused {
            rows.append(["refused", "\(refused.count) \(refused.verdict.rawValue)"])
        }
        if let messages = report.messages, let bytes = report.bytes {
            rows.append(["stored there", "\(messages) items, \(ByteCount.text(bytes))"])
        }
        if let problem = report.signals {
            rows.append(["presence", "only over links: \(problem.shown)"])
        }
        guard let files = report.files else { return rows }
        if let problem = files.problem {
            rows.append(["files", "only over links: \(problem.shown)"])
        } else {
            rows.append([
                "files", "\(files.published) parts published, \(files.taken) brought here",
            ])
            rows.append(["", "stored there: \(ByteCount.text(files.bytes))"])
            if let limit = files.limit {
                rows.append(["", "those over \(ByteCount.text(limit)) only over links"])
            }
        }
        if files.missing > 0 { rows.append(["", "\(files.missing) wanted parts are not there"]) }
        return rows
    }
}
