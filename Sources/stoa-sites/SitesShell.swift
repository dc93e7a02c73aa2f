import ControlAPI
import ControlClient
import DaemonCalls
import Glibc
import Loop
import Posix
import Sites

/// Connections to the daemon.
struct SitesCallers {
    /// Where it is asked for what goes out: an answer that waits holds its connection.
    var exporter: DaemonCaller?
    var importer: DaemonCaller?
    /// Where it is asked what it thinks of another item under a subject.
    var judge: DaemonCaller?
}

/// Does what `Sites` decides: the daemon's socket, the servers, clock and files.
///
/// One thing at a time: what the daemon has is published, what the servers have is imported, and what is missing is looked
/// for, each step asked for by the one before it.
final class SitesShell {
    /// How long after a failure all is tried again.
    private static let retryMilliseconds: UInt64 = 5_000
    /// How often it is looked whether anything was published of which nothing was heard.
    private static let lookMilliseconds: UInt64 = 60_000
    /// How soon after something was done it is told what the servers have.
    private static let factsMilliseconds: UInt64 = 10_000
    private static let keepBytes = 1 << 20
    /// How many questions the servers are asked before anything else has its turn.
    private static let stepsAtOnce = 64

    let loop: EventLoop
    let report: SitesReportFile
    private let keepPath: String
    private let socket: String
    var callers = SitesCallers()
    private var lock: LockFile?
    var watcher: ServerWatcher?
    var servers: SiteServers?
    /// What the daemon has said last: where the servers are, and in which conversations who is there and writes is heard.
    private var settings: (servers: [String], credentials: String?, listens: [String]) =
        ([], nil, [])
    private var timer: LoopTimer?
    private var signals: [SignalWatch] = []

    var outgoing = SiteOutgoing()
    var incoming = SiteIncoming()
    var files = SitesFiles()
    var asks = SiteAsks()
    var repairs = SiteRepairs()
    var keep = SiteKeep()
    /// The cursor of the next page.
    private var cursor: String?
    private var isExporting = false
    var isImporting = false
    private var retryAt: UInt64?
    private var lookAt: UInt64?
    private var lastSeen: UInt64 = 0
    /// Whether the places that were kept have been taken up.
    private var isPlaced = false
    /// How often what goes out was begun again.
    private var rounds = 0

    static var now: UInt64 { SystemClock.monotonicMilliseconds() }

    private static let usage =
        "usage: stoa-sites [--socket PATH] [--setup [--days N] [--size BYTES] [--file-days N] [--file-size BYTES] [--replicas N]]"

    /// Runs until it is told to end; gives the code that the process ends with.
    static func run(_ words: [String]) -> Int32 {
        switch words.first {
        case "--help", "-h":
            print(
                "\(Self.usage)\nShares rooms with other sites over NATS servers; see: stoa help sites"
            )
            return 0
        case "--version":
            print("stoa-sites \(StoaVersion.text)")
            return 0
        default: break
        }
        guard let options = SitesOptions(words) else { return Self.say(Self.usage, 64) }
        let socket = SocketPath.find(
            chosen: options.socket, environment: ProcessEnvironment.variables(),
            userID: ProcessEnvironment.userID)
        guard let socket else {
            return Self.say("cannot tell where the daemon's socket is; set XDG_RUNTIME_DIR", 69)
        }
        do throws(SystemError) {
            let loop = try EventLoop()
            let shell = SitesShell(
                loop: loop, socket: socket, keepPath: try Self.keepPath(besides: socket))
            if let setup = options.setup { return shell.setUp(setup, socket: socket) }
            try shell.begin(socket)
            try loop.run()
            shell.end()
            return 0
        } catch {
            return Self.say("\(error)", 71)
        }
    }

    /// Where it is kept how far everything has come: for each daemon of the user by itself.
    private static func keepPath(besides socket: String) throws(SystemError) -> String {
        let paths = Paths(
            environment: ProcessEnvironment.variables(), userID: ProcessEnvironment.userID)
        let folder: String
        do throws(PathError) {
            folder = try paths.stateDirectory()
        } catch {
            // Without a home it is kept until the machine starts anew.
            folder = Files.parent(of: socket)
        }
        try Files.makeDirectories(folder)
        let name = socket.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return "\(folder)/sites-\(String(name, radix: 36)).state"
    }

    @discardableResult
    static func say(_ text: String, _ code: Int32 = 0) -> Int32 {
        let bytes = Array("stoa-sites: \(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
        return code
    }

    private init(loop: EventLoop, socket: String, keepPath: String) {
        self.loop = loop
        let folder = Files.parent(of: socket)
        self.report = SitesReportFile(path: "\(folder)/sites.json")
        self.keepPath = keepPath
        self.socket = socket
    }

    private func begin(_ socket: String) throws(SystemError) {
        self.lock = try LockFile(path: "\(self.keepPath).lock")
        for number in [SIGTERM, SIGINT, SIGHUP] {
            self.signals.append(
                try self.loop.onSignal(number) { [unowned self] in self.loop.stop() })
        }
        self.timer = try self.loop.makeTimer { [unowned self] in self.tick() }
        self.callers = SitesCallers(
            exporter: self.caller(), importer: self.caller(), judge: self.caller())
        let kept = (try? Files.read(self.keepPath, limitBytes: Self.keepBytes)) ?? []
        self.keep = SiteKeep(bytes: kept)
        self.cursor = self.keep.cursor
        self.outgoing = SiteOutgoing(cursor: self.keep.cursor)
        self.ask()
    }

    private func caller() -> DaemonCaller {
        DaemonCaller(loop: self.loop, path: self.socket) { [unowned self] in
            self.stop(
                .noDaemon, "the daemon does not answer; start it: systemctl --user start stoad")
        }
    }

    private func end() {
        self.save()
        self.report.remove()
    }

    // MARK: Time

    private func tick() {
        let now = Self.now
        self.incoming.tick(at: now)
        if let retry = self.retryAt, retry <= now {
            self.retryAt = nil
            if !self.settings.servers.isEmpty { self.connect() }
            self.ask()
        }
        if let look = self.lookAt, look <= now { self.look(at: now) }
        // What is awaited was asked for without files.
        if self.files.resumes(at: now) { self.startOver() }
        self.publishDue()
        self.publishRepairs()
        self.askForMissing()
        self.importMore()
        if self.report.write(at: now) { self.save() }
        self.tell(at: now)
        self.schedule()
    }

    /// Has the daemon tell its user that other sites are not reached, or are again.
    private func tell(at now: UInt64) {
        guard let news = self.report.alarm.take(at: now) else { return }
        var params = ImportItemsMethod.Params()
        switch news {
        case .problem(let text): params.problem = "messages may not reach other sites: \(text)"
        case .over: params.problem = ""
        }
        self.callers.judge?.ask(ImportItemsMethod.self, params) { _ in }
    }

    func schedule() {
        self.noteMissing()
        var times = [self.retryAt, self.report.due, self.report.alarm.due]
        if self.servers != nil {
            times += [
                self.outgoing.nextDue, self.incoming.nextDue, self.lookAt, self.asksDue,
            ]
            if !self.isImporting { times += [self.files.nextDue, self.hearingDue] }
        }
        if let next = times.compactMap({ $0 }).min() {
            self.timer?.set(deadlineMilliseconds: next)
        } else {
            self.timer?.clear()
        }
    }

    /// Something does not work: all is tried again in a while.
    ///
    /// What the daemon was asked it answers in any case.
    func stop(_ state: SitesReport.State, _ problem: String) {
        self.report.set(state, problem)
        if self.retryAt == nil { self.retryAt = Self.now + Self.retryMilliseconds }
        self.schedule()
    }

    /// Looks whether the stream is still the one that is known, and has anything of which nothing was heard.
    private func look(at now: UInt64) {
        guard let servers = self.servers else { return self.lookAt = nil }
        do throws(ServerError) {
            let facts = try servers.facts()
            guard facts.made == self.keep.stream else {
                self.servers = nil
                self.connect()
                return
            }
            if facts.last != self.lastSeen { self.incoming.lookEverywhere() }
            self.lastSeen = facts.last
            self.lookAt = now + Self.lookMilliseconds
            self.report.linked(servers.server, facts)
            if self.lookAtFiles(at: now) { self.startOver() }
        } catch {
            self.lookAt = now + Self.retryMilliseconds
            self.fail(error)
        }
    }

    // MARK: The daemon

    /// Asks for what is to be published, where there is room for it.
    private func ask() {
        guard !self.isExporting, self.outgoing.hasRoom, let daemon = self.callers.exporter else {
            return
        }
        self.isExporting = true
        var params = ExportItemsMethod.Params()
        params.after = self.cursor
        params.wait = !self.settings.servers.isEmpty
        params.files = self.files.go ? true : nil
        params.signals = self.servers?.passesSignals == true ? true : nil
        daemon.ask(ExportItemsMethod.self, params) { [unowned self] outcome in
            self.isExporting = false
            switch outcome {
            case .result(let json): self.take(Received<ExportItemsMethod.Result>(json).value)
            case .failure(let error):
                // What is not shared any more is not listened to.
                (self.servers, self.settings) = (nil, ([], nil, []))
                self.refused(error)
            }
        }
    }

    /// The daemon says no; of its end the lost connection tells.
    func refused(_ error: RPCError) {
        guard error.code != RPCError.Code.shuttingDown.rawValue else { return }
        self.stop(.noDaemon, "\(error.message); \(error.remedy ?? "see: stoa status")")
    }

    private func take(_ page: ExportItemsMethod.Result) {
        if self.settings.servers != page.servers || self.settings.credentials != page.credentials {
            self.settings = (page.servers, page.credentials, [])
            self.servers = nil
        }
        if let tags = page.listens { self.settings.listens = tags }
        let mark = page.cursor.split(separator: "-").first.map(String.init) ?? ""
        if mark != self.keep.mark {
            // Another node or secret: nothing of what was kept is of it.
            (self.keep.mark, self.keep.places) = (mark, [])
            self.servers = nil
            self.isPlaced = false
        }
        self.incoming.follow(page.tags)
        if let wants = page.wants {
            self.files.wants.want(wants)
            self.report.fileLimit(page.fileLimit)
        }
        let (round, isWhole) = (self.rounds, self.cursor == nil)
        guard self.connect() else { return }
        self.tellSignals(of: page)
        // What a page is behind, where the stream is another one, was not published there.
        guard round == self.rounds || isWhole else { return self.ask() }
        self.cursor = page.cursor
        let (number, items) = self.outgoing.take(page.items, cursor: page.cursor, at: Self.now)
        guard self.publish(items, of: number) else { return self.startOver() }
        self.ask()
        self.importMore()
        self.keepSoon()
    }

    // MARK: The servers

    @discardableResult
    private func connect() -> Bool {
        guard self.servers == nil else { return true }
        // Messages of the library's threads come to the loop as whatever else does.
        nonisolated(unsafe) let shell = self  // only the loop's thread follows it
        let watcher = ServerWatcher(self.loop) { news in shell.heard(news) }
        do throws(ServerError) {
            let servers = try SiteServers(
                self.settings.servers, credentials: self.settings.credentials, watcher)
            let facts = try servers.facts()
            (self.servers, self.watcher) = (servers, watcher)
            self.report.hearingRefused(nil)
            servers.listen(to: self.settings.listens)
            self.report.signalsStopped(nil)
            if facts.made != self.keep.stream {
                // Another stream: all is read again, and what it has not is published again.
                (self.keep.stream, self.keep.places) = (facts.made, [])
                self.startOver(from: nil)
            }
            self.incoming.begin(at: self.keep.places)
            self.isPlaced = true
            self.lastSeen = facts.last
            self.lookAt = Self.now + Self.lookMilliseconds
            self.report.linked(servers.server, facts)
            _ = self.lookAtFiles(at: Self.now)
            return true
        } catch {
            self.fail(error)
            return false
        }
    }

    func fail(_ error: ServerError) {
        if error.isClosed { self.servers = nil }
        switch error.reason {
        case .away:
            self.stop(.unlinked, "no server of Sites answers: \(error.text)")
        case .absent:
            self.servers = nil
            self.stop(
                .noStream,
                "the servers have no stream \(SiteServers.Stream.items.name); run: stoa sites setup"
            )
        case .forbidden:
            self.servers = nil
            self.stop(
                .unlinked, "the servers refuse this user: \(error.text); check SitesCredentials")
        case .full:
            self.stop(
                .linked, "the servers take no more: \(error.text); raise the limits of the stream")
        case .other, .alone: self.stop(.unlinked, "the servers answer: \(error.text)")
        }
    }

    private func heard(_ news: ServerWatcher.News) {
        switch news {
        case .lost: self.stop(.unlinked, "the connection to the servers is lost")
        case .found:
            self.incoming.readAgain()
            self.files.wants.lookAgain()
            self.signalsMayPass()
            self.report.hearingRefused(nil)
            self.startOver()
            self.lookAt = Self.now
            self.retryAt = Self.now
        case .refused:
            self.report.hearingRefused(
                "the servers do not let this user hear or publish; see Docs/Sites.md for the rights"
            )
        case .signalled: self.importMore()
        case .signalsRefused: self.signalsRefused()
        case .published:
            guard let published = self.watcher?.takePublished() else { return }
            // What this program has published comes back, too.
            let items = published.items.filter { !self.outgoing.has($0) }
            self.incoming.published(items, in: published.tags, at: Self.now)
            self.importMore()
        }
        self.schedule()
    }

    /// Publishes items, of a page or of none; false where the servers do not have all of them.
    func publish(_ items: [SiteOutgoing.Item], of page: UInt64?) -> Bool {
        guard !items.isEmpty, let servers = self.servers else { return items.isEmpty }
        let (parts, items) = (items.filter(\.isPart), items.filter { !$0.isPart })
        do throws(ServerError) {
            if !items.isEmpty {
                try servers.publish(items)
                self.outgoing.settled(items, of: page)
                self.report.published(items.count)
            }
            return self.publishParts(parts, of: page)
        } catch {
            self.fail(error)
            self.report.publishingFailed(error.reason)
            return false
        }
    }

    /// Looks for what others wrote and have not published, and publishes it where it is missing.
    private func publishDue() {
        guard let servers = self.servers else { return }
        let cursor = self.outgoing.cursor
        defer { if self.outgoing.cursor != cursor { self.report.isKeepDue = true } }
        for (page, item) in self.outgoing.due(at: Self.now) {
            do throws(ServerError) {
                guard let there = try servers.message(item.subject) else {
                    guard self.publish([item], of: page) else { return self.startOver() }
                    continue
                }
                if there.isSame(as: item) {
                    self.outgoing.settled([item], of: page)
                } else {
                    self.compare(there, with: item, of: page)
                }
            } catch {
                self.fail(error)
                return self.startOver()
            }
        }
        self.ask()
    }

    /// Has the daemon say which of two items counts: what the servers have may be newer, or forged.
    private func compare(_ there: SiteOutgoing.Item, with item: SiteOutgoing.Item, of page: UInt64)
    {
        let round = self.rounds
        self.callers.judge?.ask(ImportItemsMethod.self, Self.params([there])) {
            [unowned self] outcome in
            guard round == self.rounds else { return }
            guard case .result(let json) = outcome,
                let said = Received<ImportItemsMethod.Result>(json).value.outcomes.first
            else { return self.startOver() }
            guard SiteOutgoing.replaces(item, said.verdict) else {
                // Nothing of it is known to be there: it may be brought again.
                self.outgoing.dropped(of: page)
                return
            }
            if !self.publish([item], of: page) { self.startOver() }
        }
    }

    /// What was not published is asked for again.
    private func startOver() { self.startOver(from: self.outgoing.cursor) }

    func startOver(from cursor: String?) {
        self.rounds += 1
        self.cursor = cursor
        self.outgoing = SiteOutgoing(cursor: cursor)
        if self.retryAt == nil { self.retryAt = Self.now + Self.retryMilliseconds }
        if self.isExporting {
            // What is awaited is behind another cursor, and an answer that waits holds its connection.
            (self.callers.exporter, self.isExporting) = (self.caller(), false)
        }
        self.schedule()
    }

    static func params(_ items: [SiteOutgoing.Item]) -> ImportItemsMethod.Params {
        ImportItemsMethod.Params {
            $0.items = items.map { item in
                ImportItemsMethod.Item {
                    $0.subject = item.subject
                    $0.data = Base64(item.data)
                }
            }
        }
    }

    // MARK: What comes in

    func importMore() {
        guard !self.isImporting, let servers = self.servers, let daemon = self.callers.importer
        else {
            return
        }
        // Few and small, and of no worth later.
        if self.giveSignals(to: daemon) { return }
        do throws(ServerError) {
            var count = 0
            while let step = self.incoming.next {
                count += 1
                // Signals and all else get their turn.
                guard count <= Self.stepsAtOnce else {
                    self.retryAt = Self.now
                    break
                }
                switch step {
                case .read(let tag, let number):
                    try servers.read(tag, from: number)
                    self.incoming.reads(tag)
                case .fetch(let tag):
                    guard let page = try servers.fetch(tag) else {
                        self.incoming.forgot(tag)
                        continue
                    }
                    self.incoming.fetched(
                        page.messages.map { ($0.item, $0.number) }, of: tag, behind: page.behind,
                        hasCome: page.hasCome)
                case .look(let subject): self.incoming.found(try servers.message(subject))
                case .stop(let tag):
                    servers.stopReading(tag)
                    self.incoming.stopped(tag)
                case .give(let items):
                    self.give(items, to: daemon)
                    return
                }
            }
            if count > 0 {
                self.tellReport()
                self.keepSoon()
            }
            self.seekParts(servers, for: daemon)
        } catch {
            self.incoming.readAgain()
            self.fail(error)
        }
        self.schedule()
    }

    private func give(_ items: [SiteOutgoing.Item], to daemon: DaemonCaller) {
        self.isImporting = true
        self.incoming.gives()
        daemon.ask(ImportItemsMethod.self, Self.params(items)) { [unowned self] outcome in
            self.isImporting = false
            switch outcome {
            case .result(let json):
                let outcomes = Received<ImportItemsMethod.Result>(json).value.outcomes
                for item in self.incoming.given(outcomes, at: Self.now) {
                    self.outgoing.saw(item)
                    self.repairs.saw(item, at: Self.now)
                }
                self.tellReport()
                self.keepSoon()
                self.importMore()
            case .failure(let error):
                self.incoming.readAgain()
                self.refused(error)
            }
            self.schedule()
        }
    }

    /// How far everything has come is kept with the next report, and what the servers have by now is told in a while.
    private func keepSoon() {
        if let look = self.lookAt { self.lookAt = min(look, Self.now + Self.factsMilliseconds) }
        self.report.isKeepDue = true
        self.schedule()
    }

    /// Keeps how far both directions have come.
    private func save() {
        var keep = SiteKeep()
        (keep.stream, keep.files, keep.mark) = (self.keep.stream, self.keep.files, self.keep.mark)
        keep.cursor = self.outgoing.cursor
        keep.places = self.isPlaced ? self.incoming.places : self.keep.places
        guard keep != self.keep else { return }
        self.keep = keep
        var bytes: [UInt8] = []
        keep.write(into: &bytes)
        // Where it cannot be written, the next start looks at more than it need.
        try? Files.writeAtomically(bytes, to: self.keepPath, mode: 0o600)
    }
}
