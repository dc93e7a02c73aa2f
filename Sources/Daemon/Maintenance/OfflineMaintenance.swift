internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Crypto
internal import Posix
internal import Storage

/// `stoad --check` and `stoad --repair`: what is done to the data of a daemon that does not run.
struct OfflineMaintenance {
    private let configuration: Configuration
    private let print: (String) -> Void
    private let owner: PeerID
    private let safe: Safe
    private let credentials: String?
    private let lock: DataLock

    /// Takes the data directory; throws where there is none, or where a daemon uses it.
    init(_ configuration: Configuration, print: @escaping (String) -> Void) throws(StartError) {
        self.configuration = configuration
        self.print = print
        let credentials = ProcessEnvironment.variable("CREDENTIALS_DIRECTORY")
        self.credentials = credentials
        guard
            Files.exists("\(configuration.dataDirectory)/\(Identity.fileName)")
                || credentials.map({ Files.exists("\($0)/\(Identity.fileName)") }) ?? false
        else {
            throw StartError(
                "there is no data in \(configuration.dataDirectory)",
                remedy: "give the right place with --data-dir", exitCode: .unavailable)
        }
        self.lock = try DataLock(directory: configuration.dataDirectory)
        self.safe = try SafeFile(in: configuration.dataDirectory).peek(
            credentials: credentials)
        let signer = try Identity.device(
            dataDirectory: configuration.dataDirectory, credentialsDirectory: credentials,
            safe: self.safe)
        self.owner = PeerID(signer.publicKey)
    }

    private func line(_ text: String) { self.print(TerminalText.line(text) + "\n") }

    // MARK: Checking

    /// Says what is wrong; ends with 65 where anything is.
    func check() throws(StartError) -> Int32 {
        let report: StoreRepair.Report
        do throws(StoreFailure) {
            report = try StoreRepair.check(
                directory: self.configuration.dataDirectory, owner: self.owner, safe: self.safe)
        } catch { throw StartError(error) }
        for finding in report.findings { self.line(Self.text(of: finding)) }
        let files = try self.checkFiles()
        for finding in files.findings { self.line(Self.text(of: finding)) }
        if report.pages == 0 && report.findings.isEmpty && files.files == 0 {
            self.line(
                "there is an identity, but no messages are stored in "
                    + "\(self.configuration.dataDirectory) yet")
            return 0
        }
        let looked = [
            Self.count(report.pages, "page"),
            "\(Self.count(report.logs, "log")) with \(Self.count(report.entries, "entry", "entries"))",
            Self.count(files.files, "file"),
        ].joined(separator: ", ")
        let faults = report.findings.count + files.findings.count
        guard faults == 0 else {
            throw StartError(
                "checked \(looked): \(Self.count(faults, "fault"))",
                remedy:
                    "run stoad --repair, which keeps a copy of the damaged database; peers send again "
                    + "what it cannot read, files too",
                exitCode: .data)
        }
        self.line("checked \(looked): no faults")
        return withExtendedLifetime(self.lock) { 0 }
    }

    // MARK: Files

    private var files: FileCheck { FileCheck(folder: self.configuration.filesDirectory) }

    private func checkFiles() throws(StartError) -> (files: Int, findings: [FileCheck.Finding]) {
        do throws(BlobFailure) { return try self.files.check() } catch {
            throw Self.failure(error)
        }
    }

    /// Leaves of damaged files what is right, so that a start has the rest fetched; gives which they are.
    private func repairFiles() throws(StartError) -> [FileCheck.Finding] {
        let findings = try self.checkFiles().findings
        do throws(BlobFailure) { try self.files.repair(findings) } catch {
            throw Self.failure(error)
        }
        for finding in findings { self.line(Self.text(of: finding)) }
        if !findings.isEmpty {
            self.line(
                "the good parts of \(Self.count(findings.count, "damaged file")) are kept; "
                    + "start stoad, which fetches the rest from peers")
        }
        return findings
    }

    private static func failure(_ failure: BlobFailure) -> StartError {
        StartError(
            "the files cannot be read: \(failure.text)", remedy: "check the disk",
            exitCode: .data)
    }

    private static func text(of finding: FileCheck.Finding) -> String {
        "file \(finding.blob) \(finding.text)"
    }

    private static func text(of finding: CheckFinding) -> String {
        var place: [String] = []
        if let log = finding.log { place.append(self.text(of: log)) }
        if let seq = finding.seq { place.append("entry \(seq)") }
        return (place + [finding.text]).joined(separator: ": ")
    }

    private static func text(of log: LogKey) -> String {
        "log of \(log.name.author) in \(log.conversation), incarnation \(log.name.incarnation)"
    }

    // MARK: Repairing

    /// Repairs and says what was done, what was lost and what comes next.
    func repair() throws(StartError) -> Int32 {
        let repair: StoreRepair.Repair
        // What it writes is sealed, also where no start has made the key yet.
        let safe = try SafeFile(in: self.configuration.dataDirectory).open(
            credentials: self.credentials)
        do throws(StoreFailure) {
            repair = try StoreRepair.repair(
                directory: self.configuration.dataDirectory, owner: self.owner, safe: safe,
                stamp: Self.stamp(SystemClock.wallMilliseconds()))
        } catch { throw StartError(error) }
        guard repair.findings.isEmpty else {
            for finding in repair.findings { self.line(Self.text(of: finding)) }
            throw StartError(
                "not enough could be read for a working store, so nothing was changed",
                remedy: "move stoa.db and stoa.db-wal away, keep identity.key, and start stoad: "
                    + "peers send what they have",
                exitCode: .data)
        }
        let files = try self.repairFiles()
        guard let copy = repair.copy else {
            if files.isEmpty { self.line("nothing is damaged, and nothing was changed") }
            return 0
        }
        self.describe(repair)
        self.line("the damaged file is kept as \(copy)")
        return withExtendedLifetime(self.lock) { 0 }
    }

    private func describe(_ repair: StoreRepair.Repair) {
        for finding in repair.damage { self.line(Self.text(of: finding)) }
        self.line(
            "everything that could be read and verified was written to a new file, row by row")
        if !repair.damagedTables.isEmpty {
            self.line(
                "some rows could not be read: " + repair.damagedTables.joined(separator: ", "))
        }
        for cut in repair.cuts {
            self.line(
                "\(Self.text(of: cut.log)): \(Self.count(cut.kept, "entry", "entries")) kept, "
                    + "\(cut.lost) lost"
                    + (cut.log.name.author == self.owner ? ", of your own" : ""))
        }
        if repair.strays > 0 {
            self.line(
                "\(Self.count(repair.strays, "entry", "entries")) left out, behind a gap or in "
                    + "a log whose name cannot be read")
        }
        self.line("the store has \(Self.count(repair.entries, "entry", "entries")), all verified")
        self.line(
            repair.damagedTables.isEmpty && repair.cuts.isEmpty && repair.strays == 0
                ? "nothing was lost; start stoad, which continues under a new incarnation"
                : "start stoad: once it is linked, peers send what they have of the rest, "
                    + "your own messages too; yours continue under a new incarnation")
    }

    private static func count(
        _ number: some BinaryInteger, _ one: String, _ several: String? = nil
    ) -> String {
        "\(number) \(number == 1 ? one : several ?? "\(one)s")"
    }

    /// The time as it can stand in a file's name.
    static func stamp(_ milliseconds: UInt64) -> String {
        Timestamp(milliseconds: Int64(clamping: milliseconds)).text.filter {
            $0.isNumber || $0 == "T" || $0 == "Z"
        }
    }
}
