package import Crypto
package import Engine
package import Formats

/// What is done to a store that no daemon has open: looking for damage, and repairing it.
package enum StoreRepair {
    /// What the names of damaged files begin with that a repair has kept.
    package static let keptPrefix = StoreDirectory.databaseName + RepairedFile.keptSuffix

    /// What a check looked at and found.
    package struct Report: Sendable {
        /// How many pages, logs and entries were looked at.
        package var pages = 0
        /// How many logs were looked at; 0 where the rows could not be.
        package var logs = 0
        /// How many entries were looked at.
        package var entries = 0
        /// What is wrong; empty for a sound store.
        package var findings: [CheckFinding] = []
        /// The pages without their checksum.
        package var damagedPages: [UInt32] = []
    }

    /// Looks for damage in all of a store: its pages and write-ahead log, indexes against tables,
    /// and each row against what it follows from.
    ///
    /// Changes nothing. Reads everything and verifies every signature, so it takes about a minute
    /// for a million entries that were sent one by one. Call it while no daemon has the store open.
    /// Throws what keeps it from reading; damage is in the report, at most 1,000 findings and 1,000
    /// pages.
    /// Each entry is judged as it was when it came, by the keys that are stored.
    package static func check(
        directory: String, owner: PeerID, safe: Safe,
        judge: (Keyring) -> any EntryJudge = { $0 }
    ) throws(StoreFailure) -> Report {
        let path = "\(directory)/\(StoreDirectory.databaseName)"
        var report = Report()
        var findings = Findings()
        try StoreDirectory.refuseEarlier(path)
        guard try self.checkPages(path, &report, &findings) else {
            report.findings = findings.found
            return report
        }
        do throws(StoreFailure) {
            let store = try StoreFile(offlineAt: path, owner: owner, safe: safe)
            let found = store.check(by: judge(store.keyring()))
            for finding in found { findings.add(finding.log, finding.seq, finding.text) }
            let counts = try StoreFile.translating(path, store.database) {
                () throws(SQLiteError) in try store.counts()
            }
            report.logs = counts.logs
            report.entries = counts.entries
        } catch {
            guard error.reason == .corrupt else { throw error }
            // It names the page as well, which may be the first that was found already.
            findings.add(nil, nil, error.detail)
        }
        report.findings = findings.found
        return report
    }

    /// Reads every page and the write-ahead log past SQLite; false where SQLite must not open the
    /// file, because it would end the log at the damage.
    private static func checkPages(
        _ path: String, _ report: inout Report, _ findings: inout Findings
    ) throws(StoreFailure) -> Bool {
        guard let file = try PageCheck(path: path) else { return false }
        let log = file.log
        for words in [log?.damage, log?.tail] {
            if let words { findings.add(nil, nil, words) }
        }
        if file.isCutShort { findings.add(nil, nil, "\(path) is cut short") }
        report.pages = Int(file.count)
        guard file.count > 0 else { return false }
        for number in 1...file.count where try !file.isSound(number) {
            if report.damagedPages.count < 1_000 { report.damagedPages.append(number) }
            findings.add(
                nil, nil,
                "page \(number) of \(path), bytes \(PageCheck.place(number)) to "
                    + "\(PageCheck.place(number + 1) - 1), does not have its checksum")
        }
        return log?.damage == nil && log?.tail == nil
    }
}
