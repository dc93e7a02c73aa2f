import Chat
import ControlAPI
import ControlClient
import Glibc
import Posix
import Screen

/// Does what the client decides: terminal, socket, clock and started programs.
struct ChatShell {
    /// A program that runs for a command, and where its output comes.
    private struct Started {
        var process: ChildProcess
        /// Where its output comes; nil where it has none, so that only its end is waited for.
        var output: Int32?
        var text: [UInt8] = []
        var awaited: Int32 { self.output ?? self.process.endDescriptor }
    }

    /// How often the screen is drawn at most while messages come, in milliseconds; keys are drawn at once.
    private static let drawMilliseconds: Int64 = 40
    /// How long Esc waits for the rest of a key, in milliseconds: over a slow line less than that passes
    /// between the bytes of one.
    private static let escapeMilliseconds: Int64 = 50
    /// How much of a program's output is kept, in bytes.
    private static let outputBytes = 16_384
    /// How often drafts are kept at most, in milliseconds; entered lines are at once.
    private static let keepMilliseconds: Int64 = 2_000

    private let socket: String
    private let screen: TerminalScreen
    private let signals: TerminalSignals
    private var state: ChatState
    private var keys = KeyDecoder()
    private var client: LineClient?
    private var started: [Int64: Started] = [:]
    private var isEnding = false
    /// Whether lines are shown without the screen, until a key is pressed.
    private var isBeside = false
    private var drawnAt: Int64 = 0
    private var isDrawingDue = true
    private var escapeDue: Int64?
    /// Where unsent text is kept; nil where the environment names no place.
    private let kept: KeptText?
    private var keptAt: Int64 = 0
    private var keptState = SavedChat()

    /// Runs until the user ends it; gives the code that the process ends with.
    static func run(socket: String, to: String?) -> Int32 {
        let noColour = ProcessEnvironment.variable("NO_COLOR")?.isEmpty == false
        do {
            let signals = try TerminalSignals()
            let screen = try TerminalScreen(hasColours: !noColour)
            var shell = ChatShell(socket: socket, to: to, screen: screen, signals: signals)
            shell.run()
            screen.end()
            shell.tellUnsent()
            return 0
        } catch let error as TerminalScreen.Failure {
            return self.refuse(error.why, code: 64)
        } catch {
            return self.refuse("\(error)")
        }
    }

    /// Says why there is no screen; gives the code that the process ends with.
    static func refuse(_ why: String, code: Int32 = 70) -> Int32 {
        self.report(why)
        return code
    }

    /// Says something on standard error.
    static func report(_ text: String) {
        let bytes = Array("stoa: chat: \(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    private init(socket: String, to: String?, screen: TerminalScreen, signals: TerminalSignals) {
        self.socket = socket
        self.screen = screen
        self.signals = signals
        self.state = ChatState(to: to, run: Self.wall, localTime: LocalClock.fields)
        self.kept = KeptText(socket: socket, environment: ProcessEnvironment.variables())
        for bytes in self.kept?.takeOver() ?? [] {
            if let saved = SavedChat(bytes) { self.state.restore(saved) }
        }
        self.keep()
    }

    /// What timers count by.
    private static var now: Int64 { Int64(SystemClock.monotonicMilliseconds()) }
    private static var wall: Int64 { Int64(SystemClock.wallMilliseconds()) }

    private mutating func run() {
        let size = self.screen.size
        self.handle(.resized(columns: size.columns, rows: size.rows))
        if let name = self.screen.unknownName { self.handle(.unknownTerminal(name)) }
        while !self.isEnding {
            self.drawWhenDue()
            let ready = self.wait()
            if ready.contains(self.signals.number) { self.takeSignals() }
            if ready.contains(STDIN_FILENO) { self.readKeys() }
            if let client = self.client, ready.contains(client.descriptor) { self.receive(client) }
            for (id, program) in self.started where ready.contains(program.awaited) {
                self.readOutput(of: id)
            }
            let now = Self.now
            if let due = self.escapeDue, due <= now {
                self.escapeDue = nil
                self.press(self.keys.timeOut())
            }
            if let due = self.state.nextDue, due <= now { self.handle(.due) }
            if let due = self.keepDue, due <= now { self.keep() }
        }
        self.handle(.ending)
        self.keep()
    }

    // MARK: What outlives the client

    /// When what was typed is to be kept; nil where it is.
    private var keepDue: Int64? {
        guard self.state.keepsUnsent, self.state.saved != self.keptState else { return nil }
        return self.keptAt + Self.keepMilliseconds
    }

    private mutating func keep() {
        self.keptAt = Self.now
        let saved = self.state.mayKeep ? self.state.saved : SavedChat()
        do throws(SystemError) {
            try self.kept?.write(saved.isEmpty ? nil : saved.bytes)
            self.keptState = saved
            self.state.keepsUnsent = self.kept != nil && self.state.mayKeep
        } catch {
            self.state.keepsUnsent = false
        }
    }

    // MARK: Waiting and drawing

    private func wait() -> Set<Int32> {
        var descriptors = [self.signals.number, STDIN_FILENO] + self.started.values.map(\.awaited)
        if let client = self.client { descriptors.append(client.descriptor) }
        let due = [
            self.state.nextDue, self.escapeDue, self.keepDue,
            self.isDrawingDue ? self.drawnAt + Self.drawMilliseconds : nil,
        ].compactMap(\.self).min()
        let milliseconds = due.map { Int(max(0, $0 - Self.now)) }
        return Set((try? waitUntilReadable(descriptors, timeoutMilliseconds: milliseconds)) ?? [])
    }

    private mutating func drawWhenDue() {
        let now = Self.now
        guard self.isDrawingDue, now - self.drawnAt >= Self.drawMilliseconds else { return }
        self.draw()
    }

    private mutating func draw() {
        self.isDrawingDue = false
        self.drawnAt = Self.now
        guard !self.isBeside else { return }
        self.screen.draw(self.state.frame())
    }

    private mutating func handle(_ event: ChatEvent) {
        self.isDrawingDue = true
        let (entered, mayKeep) = (self.state.entered, self.state.mayKeep)
        let effects = self.state.handle(event, at: Self.now, wall: Self.wall)
        // What was entered is kept before the daemon has it, so that it is never nowhere.
        if self.state.entered != entered || self.state.mayKeep != mayKeep { self.keep() }
        for effect in effects { self.perform(effect) }
        // What was shown without the screen is not for whoever comes to a locked node.
        if self.isBeside, self.state.isLocked {
            self.isBeside = false
            self.screen.resume()
        }
    }

    private mutating func perform(_ effect: ChatEffect) {
        switch effect {
        case .write(let line):
            guard let client = self.client else { return }
            do throws(ClientError) { try client.write(line) } catch { self.lose(error) }
        case .connect: self.connect()
        case .run(let id, let arguments): self.start(id, arguments)
        case .ring: self.screen.ring()
        case .edit(let text): self.edit(text)
        case .open(let id, let link): self.openLink(id, link)
        case .names(let folder): self.handle(.names(FolderNames.names(in: folder), folder: folder))
        case .showAlone(let lines): self.showAlone(lines)
        case .redraw: self.screen.redraw()
        case .stop:
            self.screen.suspend()
            // All that the shell counts to this job, as the terminal would do it for Ctrl-Z.
            kill(0, SIGTSTP)
            self.screen.resume()
        case .quit: self.isEnding = true
        }
    }

    // MARK: The terminal

    private mutating func readKeys() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else {
            if count == 0 || errno != EINTR && errno != EAGAIN { self.isEnding = true }
            return
        }
        if self.isBeside {
            // The key that goes back does nothing else.
            self.isBeside = false
            self.screen.resume()
            return self.draw()
        }
        self.press(self.keys.append(buffer[..<count]))
        self.escapeDue = self.keys.isWaiting ? Self.now + Self.escapeMilliseconds : nil
    }

    private mutating func press(_ keys: [KeyPress]) {
        guard !keys.isEmpty else { return }
        self.handle(.keys(keys))
        self.draw()
    }

    private mutating func takeSignals() {
        let wishes = self.signals.take()
        if !wishes.isDisjoint(with: [.end, .interrupt]) { self.isEnding = true }
        guard wishes.contains(.draw), !self.isBeside else { return }
        self.screen.resize()
        let size = self.screen.size
        self.handle(.resized(columns: size.columns, rows: size.rows))
        self.draw()
    }

    /// What could not be sent is kept for the next chat, else shown, so that it can be copied.
    private func tellUnsent() {
        let unsent = self.state.unsent
        guard unsent.isEmpty || !self.state.keepsUnsent else {
            return Self.report(
                "\(unsent.count) not sent and kept: your next chat sends what you entered")
        }
        guard unsent.isEmpty || !self.state.isLocked else {
            return Self.report("\(unsent.count) not sent and not kept: the node is locked")
        }
        for text in unsent {
            Self.report("not sent: \(TerminalText.line(text))")
        }
    }

    // MARK: The daemon

    private mutating func connect() {
        do throws(ClientError) {
            self.client = try LineClient(path: self.socket)
            self.handle(.connected)
        } catch {
            self.handle(.lost(error.reason))
        }
    }

    private mutating func receive(_ client: LineClient) {
        do throws(ClientError) {
            for message in try client.receive() {
                guard self.client === client else { return }
                self.handle(.received(message))
            }
        } catch {
            self.lose(error)
        }
    }

    private mutating func lose(_ error: ClientError) {
        self.client = nil
        self.handle(.lost(error.reason))
    }

    /// Shows lines as they are, so that the terminal wraps them and lets them be copied whole.
    private mutating func showAlone(_ lines: [String]) {
        let text = lines.joined(separator: "\n").split(
            separator: "\n", omittingEmptySubsequences: false)
        self.screen.showAlone(text.map(String.init) + ["", "Press a key to go back to the chat."])
        self.isBeside = true
    }

    // MARK: Programs

    /// Hands a link to the desktop, without a shell; the browser outlives this client, so it gets no stream.
    private mutating func openLink(_ id: Int64, _ link: String) {
        do throws(SystemError) {
            let nothing = FileDescriptor(owning: open("/dev/null", O_RDWR | O_CLOEXEC))
            let process = try ChildProcess(
                ["xdg-open", link], environment: ProcessEnvironment.variables(),
                streams: [0: nothing.number, 1: nothing.number, 2: nothing.number], isLeader: true)
            self.started[id] = Started(process: process)
        } catch {
            let why =
                error.code == ENOENT ? "xdg-open is not installed (Debian: xdg-utils)" : "\(error)"
            self.handle(.ended(id: id, code: 70, output: "cannot open it: \(why)"))
        }
    }

    /// Lends the terminal to the user's editor; nothing is read or drawn meanwhile.
    private mutating func edit(_ text: String) {
        self.screen.suspend()
        let outcome = TextEditor.edit(text)
        // An interrupt was for the editor.
        if self.signals.take().contains(.end) { self.isEnding = true }
        self.screen.resume()
        self.handle(.edited(outcome.text, why: outcome.why))
        let size = self.screen.size
        self.handle(.resized(columns: size.columns, rows: size.rows))
    }

    private mutating func start(_ id: Int64, _ arguments: [String]) {
        do throws(SystemError) {
            let pipe = try Pipe.make()
            let input = FileDescriptor(owning: pipe.input)
            let nothing = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
            guard let stoa = ProgramStart.companion("stoa") else {
                throw SystemError(ENOENT, "start", "stoa")
            }
            let words = arguments.map(FolderNames.expanded)
            let process = try ChildProcess(
                [stoa, "--socket", self.socket] + words,
                environment: ProcessEnvironment.variables(),
                streams: [0: nothing.number, 1: input.number, 2: input.number])
            self.started[id] = Started(process: process, output: pipe.output)
        } catch {
            self.handle(.ended(id: id, code: 70, output: "\(error)"))
        }
    }

    private mutating func endOpening(_ id: Int64, _ process: ChildProcess) {
        self.started[id] = nil
        let code = process.wait().status
        self.handle(
            .ended(
                id: id, code: code,
                output: code == 0 ? "" : "the link was not opened: xdg-open ended with \(code)"))
    }

    private mutating func readOutput(of id: Int64) {
        guard var program = self.started[id] else { return }
        guard let output = program.output else { return self.endOpening(id, program.process) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(output, &buffer, buffer.count)
        if count > 0 {
            program.text += buffer[..<count]
            program.text = program.text.suffix(Self.outputBytes)
            self.started[id] = program
            return
        }
        close(output)
        self.started[id] = nil
        let code = program.process.wait().status
        self.handle(
            .ended(id: id, code: code, output: String(decoding: program.text, as: UTF8.self)))
    }
}
