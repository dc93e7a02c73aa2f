internal import Engine
internal import Storage

extension NodeShell {
    /// Checks the store instead of running, and stops the loop; ``failure`` says what was found.
    ///
    /// Reads everything and verifies pages, indexes, chains, hashes and signatures. Tells `report`
    /// line by line.
    public nonisolated func launchCheck(report: @escaping @Sendable (String) -> Void) {
        self.launch { shell throws(StartError) in try await shell.check(report) }
    }

    private func check(_ report: @Sendable (String) -> Void) async throws(StartError) {
        let (store, snapshot, _) = try await self.openStore()
        let findings: [CheckFinding]
        let counts: StoreCounts
        do throws(StoreFailure) {
            findings = try await store.check()
            counts = try await store.counts()
        } catch { throw StartError(error) }
        await store.close()
        for finding in findings { report("\(Self.text(of: finding))\n") }
        let looked = "\(snapshot.logs.count) logs with \(counts.entries) entries checked"
        guard findings.isEmpty else {
            throw StartError(
                "\(looked): \(findings.count) faults",
                remedy: "restore the data directory from a backup, or move stoa.db away: other "
                    + "members of your rooms still have what they hold",
                exitCode: .data)
        }
        report("\(looked): all sound\n")
        self.ended()
    }

    private static func text(of finding: CheckFinding) -> String {
        var place: [String] = []
        if let log = finding.log {
            place.append(
                "log of \(log.name.author) in \(log.conversation), "
                    + "incarnation \(log.name.incarnation)")
        }
        if let seq = finding.seq { place.append("entry \(seq)") }
        return (place + [finding.text]).joined(separator: ": ")
    }
}
