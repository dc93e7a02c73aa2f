import ControlAPI
import ControlClient
import Posix

/// One run of `chat` without a screen, once it is subscribed: shows what comes and sends what is typed.
///
/// Nothing typed is lost: what the daemon has not taken waits until it is back, and is sent with a
/// key, so that it is not sent twice.
struct LineChat {
    private let context: CommandContext
    private let to: String
    private let follower: MessageFollower
    /// What is typed; nil where the input is no terminal that can be drawn on.
    private var editor: LineEditor?
    private var input = LineInput()
    private var hasInputEnded = false
    /// What was entered, and what an earlier chat has left; the first is under way.
    private var saved = SavedChat()
    /// Where what a person types is kept; nil for lines of programs.
    private let kept: KeptText?
    /// Whether the node has a lock, so that nothing typed is to be kept on the disk.
    private var hasLock = false
    /// The request that carries the first of them; nil where none is under way.
    private var sending: Int64?
    private var sendingKey = ""
    private let lines: MessageLine
    private var rejected = false
    /// Who the user is, by the device; empty where nothing is kept.
    private var person = ""
    /// Makes the keys of this run its own.
    private let started = LocalTime.now().milliseconds
    private var sentLines = 0
    private var isShutOut = false

    private var console: Console { self.context.console }

    init(
        _ context: CommandContext, to: String, follower: MessageFollower, lines: MessageLine,
        isEdited: Bool, kept: KeptText?
    ) {
        self.context = context
        self.to = to
        self.follower = follower
        self.lines = lines
        self.editor = isEdited ? LineEditor() : nil
        self.kept = kept
    }

    /// Ends when the input has ended and all of it is sent.
    mutating func run() throws(Failure) {
        do throws(Failure) {
            try self.takeOver()
            try self.talk()
            self.keep()
        } catch {
            if error.isInterrupt { self.awaitAnswer() }
            self.tellUnsent()
            // A person has ended it, and what they typed is kept.
            guard error.isInterrupt, self.keeps || !self.hasUnsent else {
                var failure = error
                if error.isInterrupt { failure.next = "the lines above were not sent" }
                throw failure
            }
            return
        }
        guard !self.rejected else {
            throw Failure(.badData, why: "not all lines were sent", next: "see above")
        }
    }

    private mutating func talk() throws(Failure) {
        let follower = self.follower
        try self.show(try Failure.of { () throws(ClientError) in try follower.takeEvents() })
        while true {
            try self.sendOutbox()
            if self.hasInputEnded, !self.hasUnsent { return }
            var readable = follower.descriptor.map { [$0] } ?? []
            if !self.hasInputEnded { readable.append(self.console.inputNumber) }
            let outcome = try PollWait.until(
                readable: readable, millisecondsAtMost: follower.pauseMilliseconds)
            let isInput = outcome.readable.contains(self.console.inputNumber)
            if follower.descriptor.map(outcome.readable.contains) ?? !isInput {
                try self.show(try Failure.of { () throws(ClientError) in try follower.receive() })
            }
            if isInput { try self.readInput() }
        }
    }

    // MARK: What is typed

    private mutating func readInput() throws(Failure) {
        let chunk = try self.console.readChunk()
        if self.editor != nil {
            try self.edit(chunk)
        } else if let chunk {
            for line in self.input.append(chunk) { self.take(line) }
        } else {
            if let line = self.input.finish() { self.take(line) }
            self.endInput()
        }
    }

    private mutating func edit(_ chunk: [UInt8]?) throws(Failure) {
        guard var editor = self.editor else { return }
        for outcome in chunk.map({ editor.type($0) }) ?? [.end] {
            switch outcome {
            case .end: self.endInput()
            case .line(let text) where text.utf8.count > ControlLimits.textBytes:
                self.report("the text has more than \(ControlLimits.textBytes) bytes; shorten it")
                editor.text = text
            case .line(let text):
                // What is refused may be mended.
                if !self.take(text), editor.text.isEmpty { editor.text = text }
            }
        }
        self.editor = editor
        self.keep()
        try self.draw()
    }

    private mutating func take(_ line: LineInput.Line) {
        switch line {
        case .text(let text): if !self.take(text) { self.rejected = true }
        case .tooLong:
            self.rejected = true
            self.report("a line has more than \(ControlLimits.textBytes) bytes and was not sent")
        }
    }

    /// Does what a typed line asks for; false where it is refused.
    private mutating func take(_ text: String) -> Bool {
        guard !self.hasInputEnded,
            !text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A })
        else { return true }
        switch SlashCommand.parse(text) {
        case .text(let said): self.queue(said, isAction: false)
        case .command(let command) where command.name == .me && !command.rest.isEmpty:
            self.queue(command.rest, isAction: true)
        case .command(let command) where command.name == .quit: self.endInput()
        case .command(let command) where command.name == .help: self.report(PlainCommands.help)
        case .command(let command):
            self.report(PlainCommands.instead(of: command.name, in: self.to))
            return false
        case .unknown(let why):
            self.report(why)
            return false
        case .invitation:
            self.report(
                "that is an invitation, so it was not sent: run stoa join and paste it there")
            if self.editor == nil { self.rejected = true }
        }
        return true
    }

    private mutating func queue(_ text: String, isAction: Bool) {
        self.sentLines += 1
        self.saved.lines.append(
            .init(
                person: self.person, to: self.to, text: text, isAction: isAction,
                key: "chat-\(self.started)-\(self.sentLines)"))
    }

    // MARK: What outlives this chat

    /// The first line that the daemon has not taken.
    private var next: SavedChat.Line? { self.saved.lines.first { $0.person == self.person } }
    private var hasUnsent: Bool { self.next != nil }

    /// Takes over what an earlier chat has left: lines go out, and a draft for this conversation comes back.
    private mutating func takeOver() throws(Failure) {
        guard let kept = self.kept else { return }
        let left = kept.takeOver().compactMap { SavedChat($0) }
        let status = try self.context.call(StatusMethod.self).value
        (self.person, self.hasLock) = (status.id, status.lock != nil)
        for found in left {
            self.saved.lines += found.lines
            self.saved.drafts += found.drafts
        }
        let own = self.person
        for place in self.saved.lines.indices where self.saved.lines[place].person.isEmpty {
            self.saved.lines[place].person = own
        }
        let to = self.to
        if let place = self.saved.drafts.firstIndex(where: { $0.conversation == to }) {
            self.editor?.text = self.saved.drafts.remove(at: place).text
        }
        self.keep()
        try self.draw()
    }

    /// Whether what is typed outlives this chat.
    private var keeps: Bool { self.kept != nil && !self.hasLock }

    private func keep() {
        guard let kept = self.kept else { return }
        guard !self.hasLock else {
            try? kept.write(nil)
            return
        }
        var saved = self.saved
        if let typed = self.editor?.text, !typed.isEmpty, !TypedInvitation.isIn(typed) {
            saved.drafts.append(.init(person: self.person, conversation: self.to, text: typed))
        }
        // Where it cannot be kept it is told at the end.
        try? kept.write(saved.isEmpty ? nil : saved.bytes, isSynced: false)
    }

    private mutating func endInput() {
        self.hasInputEnded = true
        if self.hasUnsent, self.follower.descriptor == nil {
            self.report(
                "waiting for the daemon to send the rest; Ctrl-C "
                    + (self.keeps ? "leaves it for your next chat" : "gives up"))
        }
    }

    /// A lock may have been set or removed: that ends the connections that there were.
    private mutating func learnLock() throws(Failure) {
        let follower = self.follower
        let status = try Failure.of { () throws(ClientError) in
            try follower.call(StatusMethod.self, StatusMethod.Params())
        }
        guard let status else { return }
        self.hasLock = status.value.lock != nil
        self.keep()
    }

    // MARK: The daemon

    /// Sends what is typed, one text at a time, without waiting: a daemon that answers late does
    /// not keep anybody from typing.
    private mutating func sendOutbox() throws(Failure) {
        let follower = self.follower
        if let sending = self.sending {
            let sent: Received<SendMethod.Result>?
            do throws(ClientError) {
                sent = try follower.answer(SendMethod.self, to: sending)
            } catch {
                guard case .refused(let refusal) = error, self.isOver(refusal) else {
                    throw Failure(error)
                }
                return try self.giveBack(Failure(error))
            }
            guard let sent else { return }
            self.sending = nil
            self.saved.lines.removeAll { $0.key == self.sendingKey }
            self.keep()
            let isShutOut = sent.shutOut == true
            if isShutOut, !self.isShutOut {
                self.report(SendCommand.shutOut)
                try self.draw()
            }
            self.isShutOut = isShutOut
        }
        guard let next = self.next else { return }
        self.sendingKey = next.key
        // Where the connection is lost the text waits for the next one.
        self.sending = try Failure.of { () throws(ClientError) in
            try follower.ask(SendMethod.self, Self.params(of: next))
        }
    }

    private static func params(of line: SavedChat.Line) -> SendMethod.Params {
        SendMethod.Params {
            $0.to = line.to
            $0.text = line.text
            $0.kind = line.isAction ? .action : nil
            $0.replyTo = line.replyTo
            $0.idempotencyKey = line.key
        }
    }

    /// A signal ends the chat: the daemon has a moment to say that it has taken the line under way.
    private mutating func awaitAnswer() {
        guard self.sending != nil, let line = self.next,
            let connection = self.follower.connection
        else { return }
        connection.answerMilliseconds = CommandContext.lastWordMilliseconds
        // Asked again under its key, it is answered and not sent twice.
        guard (try? connection.call(SendMethod.self, Self.params(of: line))) != nil else { return }
        self.saved.lines.removeAll { $0.key == line.key }
    }

    /// Whether a person may mend what was refused, and goes on: the same would be refused again.
    private func isOver(_ refusal: RPCError) -> Bool {
        guard self.kept != nil else { return false }
        switch refusal.knownCode {
        case .busy, .shuttingDown, .overflow, .locked: return false
        default: return true
        }
    }

    /// Gives a line that was refused back to be changed, and says why.
    private mutating func giveBack(_ why: Failure) throws(Failure) {
        self.sending = nil
        guard let place = self.saved.lines.firstIndex(where: { $0.key == self.sendingKey }) else {
            return
        }
        let line = self.saved.lines.remove(at: place)
        try? self.erase()
        self.console.report("not sent: \(TerminalText.line(line.text))\n\(why.text)")
        let typed = line.isAction ? "/me \(line.text)" : SlashCommand.typed(line.text)
        if line.to == self.to, self.editor?.text.isEmpty == true { self.editor?.text = typed }
        self.keep()
        try self.draw()
    }

    private mutating func show(_ events: [MessageFollower.Event]) throws(Failure) {
        guard !events.isEmpty else { return }
        try self.erase()
        var messages: [MessageResult] = []
        var last: Int64?
        for event in events {
            switch event {
            case .message(let message):
                messages.append(message.value)
                last = message.cursor
                try self.console.print(self.lines.text(message.value))
            case .change(let change):
                last = change.cursor
                try self.console.print(self.lines.text(ofChange: change.value))
            case .gap(let gap): self.report("messages are missing: \(gap.reason.shown)")
            case .piece: continue
            case .missing(let event):
                let text = MissingResult.line(event.missing, more: event.moreMissing)
                self.report(text ?? "all messages that were missing are here")
            case .lost(let error):
                self.sending = nil
                self.report("\(error.reason); connecting again, your text is kept")
            case .connected:
                self.report("connected again")
                try self.learnLock()
            }
        }
        try self.draw()
        guard let last else { return }
        let follower = self.follower
        try Failure.of { () throws(ClientError) in
            try follower.settle(last)
            guard let read = AcknowledgeMethod.Params(reading: messages) else { return }
            try follower.tell(AcknowledgeMethod.self, read)
        }
    }

    // MARK: The screen

    private func erase() throws(Failure) {
        if self.editor != nil { try self.console.print("\r\u{1B}[K") }
    }

    private func draw() throws(Failure) {
        if let editor = self.editor, !self.hasInputEnded {
            let shown = editor.shown(columns: self.console.columns)
            try self.console.print("\r\u{1B}[K" + shown)
        }
        try self.console.flush()
    }

    private func report(_ text: String) {
        try? self.erase()
        self.console.report("stoa: chat: \(text)\n")
    }

    /// What could not be sent is shown, so that it can be copied.
    private func tellUnsent() {
        self.keep()
        let typed = self.editor.map(\.text) ?? ""
        let own = self.saved.lines.filter { $0.person == self.person }.map(\.text)
        for text in own + [typed] where !text.isEmpty {
            self.report("not sent: \(TerminalText.line(TypedInvitation.hidden(text)))")
        }
        if self.keeps, !own.isEmpty { self.report("your next chat sends it") }
    }
}
