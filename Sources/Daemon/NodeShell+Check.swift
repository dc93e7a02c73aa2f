internal import Engine
internal import Storage

extension NodeShell {
    /// Checks the store instead of running, and stops the loop; ``failure`` says what was found.
    ///
    /// Reads every log and verifies chain, hashes and attestations. Tells `report` line by line.
    public nonisolated func launchCheck(report: @escaping @Sendable (String) -> Void) {
        self.launch { shell throws(StartError) in try await shell.check(report) }
    }

    private func check(_ report: @Sendable (String) -> Void) async throws(StartError) {
        let (store, snapshot, _) = try await self.openStore()
        var faults = 0
        var entries = 0
        do throws(StoreFailure) {
            for key in snapshot.logs.keys.sorted() {
                guard let log = snapshot.logs[key] else { continue }
                var check = LogCheck(key, head: log.head)
                while let next = check.next {
                    check.check(try await store.run(key, from: next, through: log.head.seq))
                }
                entries += check.entries
                if let fault = check.fault {
                    faults += 1
                    report(
                        "log of \(key.name.author) in \(key.conversation), incarnation "
                            + "\(key.name.incarnation): \(fault)\n")
                }
            }
        } catch { throw StartError(error) }
        await store.close()
        let found = "\(snapshot.logs.count) logs with \(entries) entries checked"
        guard faults == 0 else {
            throw StartError(
                "\(found): \(faults) damaged",
                remedy:
                    "restore the data directory from a backup, or move stoa.db away: other members "
                    + "of your rooms still have what they hold",
                exitCode: .data)
        }
        report("\(found): all sound\n")
        self.ended()
    }
}
