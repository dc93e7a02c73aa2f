import ControlAPI

/// The command `stoa doctor`.
struct DoctorCommand: Subcommand {
    static let syntax = CommandSyntax(
        "doctor", "Find out what is wrong on this machine and how to fix it.",
        examples: ["stoa doctor", "stoa doctor --quiet || echo \"see stoa doctor\""],
        options: [OptionSyntax("--quiet", nil, "print nothing; only the exit code tells")],
        details: [
            "Checks the daemon, its units, files and settings, the network and the disk; this takes up to 13 s. Exits 0 if all is well, 1 if something may become a problem, 2 if something does not work. Where a lock is set, a note says whether dm-crypt encrypts the disk.",
            "With --json it prints healthy, findings and, if there are any, notes; each finding has check (a stable word for programs), severity (warning or problem), text and remedy.",
        ])

    private let isQuiet: Bool

    init(_ arguments: ParsedArguments) { self.isQuiet = arguments.has("--quiet") }

    func run(in context: CommandContext) throws(Failure) {
        let facts = try FactGathering(context).facts()
        let findings = Diagnosis.findings(facts)
        let notes = Diagnosis.notes(facts)
        let problems = findings.count { $0.severity == .problem }
        context.status = problems > 0 ? 2 : findings.isEmpty ? 0 : 1
        guard !self.isQuiet else { return }
        if context.json {
            var members = [
                JSON.Member("healthy", .bool(findings.isEmpty)),
                JSON.Member("findings", .array(findings.map(\.json))),
            ]
            if !notes.isEmpty {
                members.append(JSON.Member("notes", .array(notes.map { .string($0) })))
            }
            return try context.console.print(.object(members))
        }
        var text = notes.map { "note: \(TerminalText.line($0))\n" }.joined()
        guard !findings.isEmpty else { return try context.console.print(text + "all is well\n") }
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
