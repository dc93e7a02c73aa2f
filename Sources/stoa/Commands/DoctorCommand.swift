import ControlAPI

/// The command `stoa doctor`.
struct DoctorCommand: Subcommand {
    static let syntax = CommandSyntax(
        "doctor", "Say what is wrong here and what to do.",
        options: [OptionSyntax("--quiet", nil, "print nothing: the exit code says it")],
        details: [
            "Looks at the daemon, its units, its files, the network and the disk, and has the daemon look itself, which takes up to 13 s: also at its settings, as the next start would find them. Ends with 0 where all is well, 1 where something may become a problem, 2 where something does not work.",
            "With --json: healthy, and findings with check, a word for programs, severity (warning or problem), text and remedy.",
        ])

    private let isQuiet: Bool

    init(_ arguments: ParsedArguments) { self.isQuiet = arguments.has("--quiet") }

    func run(in context: CommandContext) throws(Failure) {
        let findings = Diagnosis.findings(try FactGathering(context).facts())
        let problems = findings.count { $0.severity == .problem }
        context.status = problems > 0 ? 2 : findings.isEmpty ? 0 : 1
        guard !self.isQuiet else { return }
        if context.json {
            return try context.console.print(
                [
                    "healthy": .bool(findings.isEmpty),
                    "findings": .array(findings.map(\.json)),
                ] as JSON)
        }
        guard !findings.isEmpty else { return try context.console.print("all is well\n") }
        var text = ""
        for finding in findings {
            let isProblem = finding.severity == .problem
            text += context.console.styled(finding.severity.rawValue, isProblem ? .red : .bold)
            text += " (\(finding.check)): \(TerminalText.line(finding.text))\n"
            text += "  \(TerminalText.line(finding.remedy))\n"
        }
        try context.console.print(text + Self.verdict(problems, findings.count - problems))
    }

    private static func verdict(_ problems: Int, _ warnings: Int) -> String {
        func counted(_ count: Int, _ what: String) -> String? {
            count == 0 ? nil : "\(count) \(what)\(count == 1 ? "" : "s")"
        }
        return [counted(problems, "problem"), counted(warnings, "warning")].compactMap { $0 }
            .joined(separator: ", ") + "\n"
    }
}
