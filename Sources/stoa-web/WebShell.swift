import ControlAPI
import ControlClient
import Glibc
import Loop
import Posix
import Web

/// Does what the page's program decides: sockets, clock, files.
final class WebShell {
    let loop: EventLoop
    let socket: String
    let pages: PagePool
    var gate = WebGate()
    private var random = SystemRandomNumberGenerator()
    private var server: HTTPServer?
    private var requests: OpenRequests?
    private var timer: LoopTimer?
    private var signals: [SignalWatch] = []
    /// The files that lead a browser here, by their tokens, and until when each counts.
    private var redirects: [(path: String, token: String, due: UInt64)] = []
    /// When the last page went.
    private var idleSince: UInt64

    static var now: UInt64 { SystemClock.monotonicMilliseconds() }

    /// Runs until ten minutes after the last page; gives the code that the process ends with.
    static func run(_ words: [String]) -> Int32 {
        switch words.first {
        case "--help", "-h":
            print("\(Self.usage)\nServes Stoa's page to your browser; see: stoa help web")
            return 0
        case "--version":
            print("stoa-web \(StoaVersion.text)")
            return 0
        default: break
        }
        guard words.isEmpty || words.count == 2 && words[0] == "--socket" && !words[1].isEmpty
        else { return Self.report(Self.usage, 64) }
        let socket = SocketPath.find(
            chosen: words.last, environment: ProcessEnvironment.variables(),
            userID: ProcessEnvironment.userID)
        guard let socket else {
            return Self.report("cannot tell where the daemon's socket is; set XDG_RUNTIME_DIR", 69)
        }
        do throws(SystemError) {
            let loop = try EventLoop()
            let shell = WebShell(loop: loop, socket: socket)
            try shell.begin()
            try loop.run()
            shell.end()
            return 0
        } catch {
            return Self.report("\(error)", 71)
        }
    }

    private static let usage = "usage: stoa-web [--socket PATH]"

    /// Says on standard error what is wrong.
    @discardableResult
    static func report(_ text: String, _ code: Int32 = 0) -> Int32 {
        let bytes = Array("stoa-web: \(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
        return code
    }

    private init(loop: EventLoop, socket: String) {
        self.loop = loop
        self.socket = socket
        self.idleSince = Self.now
        self.pages = PagePool(loop: loop, socket: socket)
    }

    private func begin() throws(SystemError) {
        // The command that started it may end, and so may its terminal; where a shell runs it, that has it.
        _ = setsid()
        self.timer = try self.loop.makeTimer { [unowned self] in self.tick() }
        for number in [SIGTERM, SIGINT, SIGHUP] {
            self.signals.append(
                try self.loop.onSignal(number) { [unowned self] in self.loop.stop() })
        }
        self.pages.admits = { [unowned self] in self.gate.knows($0) }
        self.pages.changed = { [unowned self] in self.schedule() }
        self.server = try HTTPServer(shell: self)
        // Last: from then on the command finds what it can use.
        self.requests = try OpenRequests(
            loop: self.loop, path: WebSocketPath.openSocket(besides: self.socket)
        ) { [unowned self] request in self.answer(request) }
        self.pages.begin()
        self.schedule()
    }

    private func end() {
        for redirect in self.redirects { unlink(redirect.path) }
        self.pages.end()
    }

    // MARK: Letting a browser in

    /// What `stoa web` asks for on its socket.
    private func answer(_ request: OpenRequest) -> String {
        guard let server = self.server else { return "error the program is ending" }
        self.idleSince = Self.now
        self.schedule()
        switch request {
        case .code:
            let code = self.gate.makeCode(at: Self.now, using: &self.random)
            return "code http://\(server.host)/ \(code)"
        case .page(let conversation, let call):
            let token = self.gate.makeToken(at: Self.now, using: &self.random)
            let path =
                "\(Files.parent(of: self.socket))/page-\(UInt32.random(in: .min ... .max)).html"
            let text = RedirectPage.text(
                host: server.host, token: token, conversation: conversation, call: call)
            do throws(SystemError) {
                try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o600)
            } catch {
                return "error \(error)"
            }
            self.redirects.append((path, token, Self.now + WebLimits.tokenMilliseconds))
            self.schedule()
            return "page \(path)"
        }
    }

    /// Takes a token or a code; what led here is of no use any more.
    func enter(_ text: String) -> String? {
        let key = self.gate.enter(text, at: Self.now, using: &self.random)
        if key != nil, let place = self.redirects.firstIndex(where: { $0.token == text }) {
            unlink(self.redirects.remove(at: place).path)
        }
        // The start is over, and what earlier pages and refused requests needed is free.
        if key != nil {
            ProcessEnvironment.releaseCode()
            ProcessEnvironment.releaseHeap()
        }
        return key
    }

    // MARK: Time

    /// Sets the timer to what is due first; without anything due nothing wakes this program up.
    func schedule() {
        if self.pages.count > 0 { self.idleSince = Self.now }
        let ends = self.pages.count > 0 ? nil : self.idleSince + WebLimits.idleMilliseconds
        let dues = [
            ends, self.server?.nextDue, self.pages.nextDue, self.redirects.map(\.due).min(),
        ].compactMap(\.self)
        if let due = dues.min() {
            self.timer?.set(deadlineMilliseconds: due)
        } else {
            self.timer?.clear()
        }
    }

    private func tick() {
        let now = Self.now
        for redirect in self.redirects where redirect.due <= now { unlink(redirect.path) }
        self.redirects.removeAll { $0.due <= now }
        self.server?.expire(at: now)
        self.pages.tick(at: now)
        if self.pages.count == 0, self.idleSince + WebLimits.idleMilliseconds <= now {
            self.loop.stop()
        }
        self.schedule()
    }
}
