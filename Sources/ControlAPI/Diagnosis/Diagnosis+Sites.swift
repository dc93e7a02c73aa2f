extension Diagnosis {
    /// What keeps rooms from other sites, where they are shared.
    static func sites(_ facts: DiagnosisFacts) -> [Finding] {
        guard let sites = facts.sites else { return [] }
        guard sites.isRunning else {
            return [
                Finding(
                    "sites", .problem, "nothing goes to other sites: stoa-sites has ended",
                    remedy: "systemctl --user restart stoa-sites, and see its log: "
                        + "journalctl --user -u stoa-sites")
            ]
        }
        guard let problem = sites.report.problem else {
            guard let problem = sites.report.files?.problem else { return [] }
            return [
                Finding(
                    "sites", .problem, "files do not reach other sites: \(problem)",
                    remedy: "look again with: stoa sites")
            ]
        }
        return [
            Finding(
                "sites", .problem, "what is said may not reach other sites: \(problem)",
                remedy: "look again with: stoa sites")
        ]
    }

    /// That rooms are shared between sites, where nothing is wrong with it.
    static func sharing(_ facts: DiagnosisFacts) -> String? {
        guard let sites = facts.sites, sites.isRunning, sites.report.state == .linked else {
            return nil
        }
        let waiting =
            sites.report.waiting > 0 ? "; \(sites.report.waiting) items are still to be read" : ""
        return "other sites: linked to \(sites.report.server ?? "a server")\(waiting)"
    }
}
