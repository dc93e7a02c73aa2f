import ControlAPI
import ControlClient
import DaemonCalls
import Loop
import Posix
import Web

/// All pages, what they have sent, and what they keep.
final class PagePool {
    let socket: String
    private let loop: EventLoop
    private let kept: KeptText?
    private var sockets: [ObjectIdentifier: PageSocket] = [:]
    private var outbox = WebOutbox()
    private var notes = PageNotes()
    private var uploads = PageUploads()
    /// Whether the node has a lock, so that no text is to be kept on the disk.
    private var hasLock = false
    /// For what this program asks itself.
    private(set) lazy var caller = DaemonCaller(loop: self.loop, path: self.socket) {
        [unowned self] in self.lostDaemon()
    }
    /// Says whether a key was given.
    var admits: (String) -> Bool = { _ in false }
    /// Called when what is due may have changed.
    var changed: () -> Void = {}
    private var retryDue: UInt64?
    private var retryMilliseconds = WebLimits.retryMilliseconds.first

    init(loop: EventLoop, socket: String) {
        (self.loop, self.socket) = (loop, socket)
        self.kept = KeptText(
            socket: socket, environment: ProcessEnvironment.variables(), of: "page")
    }

    /// Takes over what an earlier program has left, and sends what is not sent.
    func begin() {
        for bytes in self.kept?.takeOver() ?? [] {
            let kept = KeptPage(stored: bytes)
            self.outbox.restore(kept)
            self.notes = PageNotes(kept.notes)
        }
        self.keep()
        self.learnLock()
        self.sendNext()
    }

    func end() {
        for socket in self.all { socket.close() }
        self.keep()
    }

    // MARK: Pages

    var count: Int { self.sockets.count }
    var hasRoom: Bool { self.all.filter(\.isOpen).count < WebLimits.pages }

    private var all: [PageSocket] { Array(self.sockets.values) }

    func add(_ socket: PageSocket) {
        self.sockets[ObjectIdentifier(socket)] = socket
        self.changed()
    }

    func opened(_ socket: PageSocket) {
        socket.send(
            PageEvent.opened(isDaemonUp: socket.hasDaemon, self.outbox, self.notes))
        if socket.hasDaemon {
            self.learnLock()
        } else {
            DaemonStart.begin(for: self.socket)
            self.retryLater()
        }
        self.changed()
    }

    func remove(_ socket: PageSocket) {
        guard self.sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        socket.close()
        self.changed()
    }

    // MARK: Files that pages give

    func beginUpload() -> (number: Int64, file: PageUploads.File)? {
        defer { self.changed() }
        return self.uploads.begin()
    }

    func completeUpload(_ number: Int64) { self.uploads.complete(number) }

    func removeUpload(_ number: Int64) { self.uploads.remove(number) }

    // MARK: What pages ask of this program

    /// Does it; `answer` is called once, now or later.
    func perform(_ call: OwnCall, answer: @escaping (RPCResponse.Outcome) -> Void) {
        switch call {
        case .post(let params, let upload, let draft):
            if let error = self.outbox.add(params, upload: upload) {
                return answer(.failure(error))
            }
            // Together with the message: a page that begins now shows the text in one place only.
            if let draft { _ = self.notes.keep(draft, "") }
            self.outboxChanged()
            answer(.result([:]))
            self.sendNext()
        case .discard(let key):
            self.outbox.discard(key)
            self.outboxChanged()
            answer(.result([:]))
        case .save(let name, let text):
            if let error = self.notes.keep(name, text) { return answer(.failure(error)) }
            self.keep()
            answer(.result([:]))
        case .start:
            DaemonStart.begin(for: self.socket)
            answer(.result([:]))
        case .picture(let upload):
            guard let file = self.uploads[upload] else {
                return answer(.failure(OwnCall.fileGone))
            }
            self.caller.ask(
                ProfileMethod.self, ProfileMethod.Params { $0.picture = true },
                passing: file.forReading()
            ) { [unowned self] outcome in
                self.uploads.remove(upload)
                answer(outcome)
            }
        case .backup: self.makeBackup(answer)
        }
    }

    /// The daemon writes it beside its socket, where it stays for as long as it takes to open it.
    private func makeBackup(_ answer: @escaping (RPCResponse.Outcome) -> Void) {
        let folder = Files.parent(of: self.socket)
        let path = "\(folder)/page-backup-\(UInt32.random(in: .min ... .max))"
        self.caller.ask(BackupMethod.self, BackupMethod.Params { $0.file = path }) {
            [unowned self] outcome in
            guard case .result(let json) = outcome else { return answer(outcome) }
            guard let number = self.uploads.adopt(path) else {
                return answer(.failure(OwnCall.fileGone))
            }
            self.changed()
            answer(.result(MadeBackup(number, Received<BackupMethod.Result>(json).value).json))
        }
    }

    func backup(_ number: Int64) -> PageUploads.File? { self.uploads[number] }

    private func outboxChanged() {
        self.keep()
        let line = PageEvent.outbox(self.outbox)
        for socket in self.all where socket.isOpen { socket.send(line) }
        self.uploads.keepOnly { self.outbox.needs($0) }
    }

    private func keep() {
        guard let kept = self.kept else { return }
        let page =
            self.hasLock
            ? KeptPage(WebOutbox(), self.notes.withoutDrafts) : KeptPage(self.outbox, self.notes)
        do throws(SystemError) {
            // What waits for a daemon is to outlive the machine's failure, too; that costs milliseconds.
            try kept.write(
                page.isEmpty ? nil : page.json.bytes,
                isSynced: self.outbox.isWaiting && self.retryDue != nil)
        } catch {
            WebShell.report("\(error)")
        }
    }

    // MARK: The daemon

    /// Asks whether the node has a lock; a connection begins anew when one was set or removed.
    private func learnLock() {
        guard self.caller.connect() else { return }
        self.caller.ask(StatusMethod.self, StatusMethod.Params()) { [unowned self] outcome in
            guard case .result(let json) = outcome else { return }
            let hasLock = StatusMethod.Result(reading: json).lock != nil
            guard hasLock != self.hasLock else { return }
            self.hasLock = hasLock
            self.keep()
        }
    }

    private func sendNext() {
        guard let item = self.outbox.takeNext(at: WebShell.now) else { return self.changed() }
        var descriptor: Int32?
        if let upload = item.upload {
            guard let file = self.uploads[upload] else {
                self.outbox.fail(OwnCall.fileGone)
                self.outboxChanged()
                return self.sendNext()
            }
            descriptor = file.forReading()
        }
        guard self.caller.connect() else {
            self.outbox.lost()
            return self.retryLater()
        }
        self.caller.ask(SendMethod.self, item.params, passing: descriptor) {
            [unowned self] outcome in
            self.outbox.answered(outcome, at: WebShell.now)
            self.outboxChanged()
            self.sendNext()
        }
    }

    func lostDaemon() {
        self.outbox.lost()
        self.retryLater()
    }

    private func retryLater() {
        guard self.retryDue == nil else { return }
        self.retryDue = WebShell.now + self.retryMilliseconds
        self.retryMilliseconds = min(
            self.retryMilliseconds * 2, WebLimits.retryMilliseconds.most)
        self.changed()
    }

    /// Whether somebody waits for the daemon.
    private var needsDaemon: Bool {
        self.all.contains { $0.isOpen && !$0.hasDaemon } || self.outbox.isWaiting
    }

    var nextDue: UInt64? {
        let paused = self.outbox.isWaiting && self.retryDue == nil ? self.outbox.pausedUntil : nil
        return
            (self.all.compactMap(\.keyDue)
            + [self.retryDue, paused == 0 ? nil : paused, self.uploads.nextDue].compactMap(\.self))
            .min()
    }

    func tick(at now: UInt64) {
        for socket in self.all {
            if let due = socket.keyDue, due <= now { socket.finish(4_001) }
        }
        self.uploads.expire(at: now) { self.outbox.needs($0) }
        if let due = self.retryDue, due <= now {
            self.retryDue = nil
            self.retry()
        } else if self.retryDue == nil {
            self.sendNext()
        }
    }

    private func retry() {
        for socket in self.all where socket.isOpen && !socket.hasDaemon {
            socket.connect()
            if socket.hasDaemon { socket.send(PageEvent.daemon(isUp: true)) }
        }
        let isUp = self.caller.connect()
        if isUp {
            self.retryMilliseconds = WebLimits.retryMilliseconds.first
            self.learnLock()
            self.sendNext()
        } else if self.needsDaemon {
            self.retryLater()
        }
    }
}
