import ControlAPI
import Glibc
import Posix
import Sites

/// The file beside the daemon's socket that says how `stoa-sites` is: written when something has changed, once a second at
/// most.
final class SitesReportFile {
    private static let leastMilliseconds: UInt64 = 1_000

    private let path: String
    private var report = SitesReport()
    private var written: SitesReport?
    private var writtenAt: UInt64 = 0
    /// What servers that answer refuse or do not keep: what is published, what is to be heard, what is old.
    private var lacks: (publishing: String?, hearing: String?, stock: String?)
    /// Whether the servers have room for what they have lost, too.
    private(set) var hasRoom = true
    var alarm = SiteAlarm()
    /// Whether what is kept for the next start has changed, too.
    var isKeepDue = false

    init(path: String) {
        self.path = path
        self.report.process = Int64(getpid())
        self.report.since = Timestamp(milliseconds: Int64(SystemClock.wallMilliseconds()))
    }

    /// When it is to be written; nil where nothing has changed.
    var due: UInt64? {
        self.written == self.report && !self.isKeepDue
            ? nil : self.writtenAt + Self.leastMilliseconds
    }

    func set(_ state: SitesReport.State, _ problem: String?) {
        if self.report.state != state {
            self.report.since = Timestamp(milliseconds: Int64(SystemClock.wallMilliseconds()))
        }
        if let problem, self.report.problem != problem { SitesShell.say(problem) }
        (self.report.state, self.report.problem) = (state, problem)
        if state != .linked { self.report.server = nil }
        // A daemon that does not answer cannot be told anything.
        self.alarm.set(state == .noDaemon ? nil : problem, at: SitesShell.now)
    }

    func linked(_ server: String?, _ facts: SiteServers.StreamFacts) {
        self.hasRoom = facts.stock.hasRoom
        self.lacks.stock = facts.stock.problem(at: Int64(SystemClock.wallMilliseconds()))
        self.set(.linked, self.lack)
        self.report.server = server
        self.report.messages = Int64(clamping: facts.messages)
        self.report.bytes = Int64(clamping: facts.bytes)
    }

    private var lack: String? {
        self.lacks.publishing ?? self.lacks.hearing ?? self.lacks.stock
    }

    /// Something was not published: where servers refuse it, that is so until they take something.
    func publishingFailed(_ reason: ServerError.Reason) {
        if reason == .full || reason == .forbidden { self.lacks.publishing = self.report.problem }
    }

    /// Servers tell nothing of what is published; nil where another connection may.
    func hearingRefused(_ problem: String?) {
        self.lacks.hearing = problem
        if problem != nil { self.set(.linked, self.lack) }
    }

    func published(_ count: Int) {
        self.lacks.publishing = nil
        self.report.published += Int64(count)
        self.set(.linked, self.lack)
    }

    // MARK: Files

    func files(_ facts: SiteServers.StreamFacts) {
        var files = self.report.files ?? SitesReport.Files()
        files.messages = Int64(clamping: facts.messages)
        files.bytes = Int64(clamping: facts.bytes)
        files.problem = nil
        self.report.files = files
    }

    func fileLimit(_ bytes: Int64?) { self.report.files?.limit = bytes }

    func publishedParts(_ count: Int) {
        self.report.files?.published += Int64(count)
        self.report.files?.problem = nil
    }

    func filesStopped(_ problem: String) {
        var files = self.report.files ?? SitesReport.Files()
        if files.problem != problem { SitesShell.say("files go only over links: \(problem)") }
        files.problem = problem
        self.report.files = files
    }

    /// - Parameter problem: why who is there and who writes goes over links alone; nil where it goes.
    func signalsStopped(_ problem: String?) {
        if let problem, self.report.signals != problem {
            SitesShell.say("presence and typing go only over links: \(problem)")
        }
        self.report.signals = problem
    }

    func incoming(
        _ incoming: SiteIncoming, _ wants: SiteWants,
        _ refusedSignals: [ImportItemsMethod.Verdict: Int]
    ) {
        self.report.files?.taken = Int64(wants.broughtCount)
        self.report.files?.missing = Int64(wants.missing)
        self.report.taken = Int64(incoming.takenCount)
        self.report.waiting = Int64(clamping: incoming.behind)
        self.report.missing = Int64(incoming.waiting)
        let refused = incoming.refused.merging(wants.refused) { $0 + $1 }
            .merging(refusedSignals) { $0 + $1 }
        self.report.refused = refused.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            verdict, count in
            SitesReport.Refused {
                $0.verdict = verdict
                $0.count = Int64(count)
            }
        }
    }

    /// Writes it where that is due, and says whether it was.
    func write(at now: UInt64) -> Bool {
        guard let due = self.due, due <= now else { return false }
        self.isKeepDue = false
        defer { self.writtenAt = now }
        guard self.written != self.report else { return true }
        var bytes: [UInt8] = []
        self.report.write(into: &bytes)
        self.written = self.report
        // Where it cannot be written, the command says that nothing runs.
        try? Files.writeAtomically(bytes, to: self.path, mode: 0o600)
        return true
    }

    func remove() { unlink(self.path) }
}
