import ControlAPI
import ControlClient
import Glibc
import Loop
import Notifications
import Posix

/// Does what the notifier decides: the daemon's socket, the session's bus, the clock.
struct NotifierShell {
    private let socket: String
    private let settingsPath: String?
    private let bus: SessionBus
    private let signals: TerminalSignals
    private let pictures: PersonPictures?
    private var state = NotifierState()
    private var client: LineClient?
    /// The numbers that the desktop has given, by what each is about.
    private var numbers: [String: UInt32] = [:]

    /// Runs until the session ends; gives the code that the process ends with.
    static func run(_ words: [String]) -> Int32 {
        let environment = ProcessEnvironment.variables()
        switch words.first {
        case "--help", "-h":
            print(
                """
                \(Self.usage)
                Shows desktop notifications until the session ends; see: stoa help notify
                """)
            return 0
        case "--version":
            print("stoa-notify \(StoaVersion.text)")
            return 0
        default: break
        }
        guard words.isEmpty || words.count == 2 && words[0] == "--socket" && !words[1].isEmpty
        else { return self.report(Self.usage, 64) }
        let socket = SocketPath.find(
            chosen: words.last, environment: environment, userID: ProcessEnvironment.userID)
        guard let socket else {
            return self.report("cannot tell where the daemon's socket is; set XDG_RUNTIME_DIR", 69)
        }
        do throws(SystemError) {
            let signals = try TerminalSignals()
            let bus: SessionBus
            do throws(SystemError) {
                bus = try SessionBus()
            } catch {
                // Where there is no desktop there is nothing to do, and nothing wrong.
                return self.report("there is no session bus, so there are no notifications", 0)
            }
            var shell = NotifierShell(
                socket: socket, settingsPath: NotifierFile.path(environment), bus: bus,
                signals: signals,
                pictures: PersonPictures(socket: socket, environment: environment))
            shell.run()
            return 0
        } catch {
            return self.report("\(error)", 71)
        }
    }

    private init(
        socket: String, settingsPath: String?, bus: SessionBus, signals: TerminalSignals,
        pictures: PersonPictures?
    ) {
        self.socket = socket
        self.settingsPath = settingsPath
        self.bus = bus
        self.signals = signals
        self.pictures = pictures
    }

    private static let terminalTag = "terminal"
    private static let usage = "usage: stoa-notify [--socket PATH]"

    private static func report(_ text: String, _ code: Int32) -> Int32 {
        let bytes = Array("stoa-notify: \(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
        return code
    }

    /// What timers count by.
    private static var now: Int64 { Int64(SystemClock.monotonicMilliseconds()) }

    /// The minute of the day by the clock on the wall.
    private static var minute: Int {
        let moment = LocalMoment(milliseconds: Int64(SystemClock.wallMilliseconds()))
        return moment.map { $0.hour * 60 + $0.minute } ?? 0
    }

    private mutating func run() {
        self.handle(.due)
        while self.bus.isOpen {
            var descriptors = [self.signals.number, self.bus.descriptor]
            if let client = self.client { descriptors.append(client.descriptor) }
            let left = self.state.nextDue.map { Int(max(0, $0 - Self.now)) }
            let ready = (try? waitUntilReadable(descriptors, timeoutMilliseconds: left)) ?? []
            if ready.contains(self.signals.number),
                !self.signals.take().isDisjoint(with: [.end, .interrupt])
            {
                return
            }
            self.takeSignals()
            if let client = self.client, ready.contains(client.descriptor) { self.receive(client) }
            if let due = self.state.nextDue, due <= Self.now { self.handle(.due) }
        }
    }

    /// Also what came while a call waited for its answer, for which nothing is readable any longer.
    private mutating func takeSignals() {
        for signal in self.bus.takeSignals() {
            switch signal {
            case .closed(let number):
                guard let tag = self.tag(number) else { continue }
                self.numbers[tag] = nil
                self.handle(.dismissed(tag: tag))
            case .chosen(let number, let word):
                // A click on the notification itself opens, too.
                let action = word == "default" ? .open : NoteAction(rawValue: word)
                guard let tag = self.tag(number), let action else { continue }
                self.handle(.chosen(tag: tag, action))
            case .replied(let number, let text):
                if let tag = self.tag(number) { self.handle(.replied(tag: tag, text)) }
            }
        }
    }

    private func tag(_ number: UInt32) -> String? {
        self.numbers.first { $0.value == number }?.key
    }

    /// What the user has chosen, which may have been changed meanwhile, and what the desktop says.
    private static func settings(
        path: String?, bus: SessionBus, minute: Int
    ) -> NotifierSettings {
        let bytes = path.flatMap { try? Files.read($0, limitBytes: NotifierFile.bytes) }
        var settings = NotifierFile.settings(String(decoding: bytes ?? [], as: UTF8.self))
        // In quiet hours the desktop need not be asked, which may start its server.
        settings.isInhibited = settings.quiet?.contains(minute) != true && bus.isInhibited
        return settings
    }

    private mutating func handle(_ event: NotifierEvent) {
        let minute = Self.minute
        let (path, bus) = (self.settingsPath, self.bus)
        let effects = self.state.handle(
            event, at: Self.now, minute: minute,
            Self.settings(path: path, bus: bus, minute: minute))
        for effect in effects { self.perform(effect) }
    }

    private mutating func perform(_ effect: NotifierEffect) {
        switch effect {
        case .write(let line):
            guard let client = self.client else { return }
            do throws(ClientError) { try client.write(line) } catch { self.lose() }
        case .connect:
            do throws(ClientError) {
                self.client = try LineClient(path: self.socket)
                self.handle(.connected)
            } catch {
                self.lose()
            }
        case .show(let tag, let note):
            self.numbers[tag] = self.bus.notify(
                self.note(note), replacing: self.numbers[tag] ?? 0)
        case .close(let tag):
            if let number = self.numbers.removeValue(forKey: tag) { self.bus.close(number) }
        case .answer(let conversation, let call):
            _ = ChatPage.open(conversation, answering: call)
        case .open(let conversation):
            let isOpen =
                ChatPage.isInUse(besides: self.socket)
                ? ChatPage.open(conversation)
                : ChatTerminal.open(conversation) || ChatPage.open(conversation)
            if !isOpen {
                var note = SessionBus.Note(
                    title: "Stoa", text: "No terminal or browser opened; run: stoa chat")
                note.isUrgent = true
                let tag = Self.terminalTag
                self.numbers[tag] = self.bus.notify(note, replacing: self.numbers[tag] ?? 0)
            }
        }
    }

    private func note(_ note: DesktopNote) -> SessionBus.Note {
        var shown = SessionBus.Note(title: note.title, text: Self.escaped(note.text))
        shown.isUrgent = note.isUrgent
        shown.picture = note.person.flatMap { self.pictures?.path(of: $0) }
        if !note.actions.isEmpty { shown.actions.append(("default", "Open")) }
        for action in note.actions {
            switch action {
            case .open: shown.actions.append((action.rawValue, "Open"))
            case .reply:
                if self.bus.canReply { shown.actions.append(("inline-reply", "Reply")) }
            case .accept: shown.actions.append((action.rawValue, "Accept"))
            case .answer: shown.actions.append((action.rawValue, "Answer"))
            }
        }
        return shown
    }

    /// Servers may read markup in the text: what looks like some is said to be none.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    private mutating func receive(_ client: LineClient) {
        do throws(ClientError) {
            for message in try client.receive() { self.handle(.received(message)) }
        } catch {
            self.lose()
        }
    }

    private mutating func lose() {
        self.client = nil
        self.handle(.lost)
    }
}
