import ControlAPI
import ControlClient

/// One run of `chat` without a screen, once it is subscribed: shows what comes and sends what is typed.
///
/// Nothing typed is lost: what the daemon has not taken waits until it is back, and is sent with a
/// key, so that it is not sent twice.
struct LineChat {
    /// A text that the daemon has not taken yet.
    private struct Unsent {
        var text: String
        var key: String
        var isAction = false
    }

    /// What makes an action of a line.
    private static let action = "/me "

    private let context: CommandContext
    private let to: String
    private let follower: MessageFollower
    /// What is typed; nil where the input is no terminal that can be drawn on.
    private var editor: LineEditor?
    private var input = LineInput()
    private var hasInputEnded = false
    private var outbox: [Unsent] = []
    /// The request that carries the first of them; nil where none is under way.
    private var sending: Int64?
    private let lines: MessageLine
    private var rejected = false
    /// Makes the keys of this run its own.
    private let started = LocalTime.now().milliseconds
    private var sentLines = 0
    private var isShutOut = false

    private var console: Console { self.context.console }

    init(
        _ context: CommandContext, to: String, follower: MessageFollower, lines: MessageLine,
        isEdited: Bool
    ) {
        self.context = context
        self.to = to
        self.follower = follower
        self.lines = lines
        self.editor = isEdited ? LineEditor() : nil
    }

    /// Ends when the input has ended and all of it is sent.
    mutating func run() throws(Failure) {
        do throws(Failure) {
            try self.talk()
        } catch {
            self.tellUnsent()
            throw error
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
            if self.hasInputEnded, self.outbox.isEmpty { return }
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
            case .line(let text): self.queue(text)
            }
        }
        self.editor = editor
        try self.draw()
    }

    private mutating func take(_ line: LineInput.Line) {
        switch line {
        case .text(let text): self.queue(text)
        case .tooLong:
            self.rejected = true
            self.report("a line has more than \(ControlLimits.textBytes) bytes and was not sent")
        case .notUTF8:
            self.rejected = true
            self.report("a line is not UTF-8 and was not sent")
        }
    }

    private mutating func queue(_ text: String) {
        guard !text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A }) else { return }
        self.sentLines += 1
        let isAction = text.hasPrefix(Self.action)
        self.outbox.append(
            Unsent(
                text: isAction ? String(text.dropFirst(Self.action.count)) : text,
                key: "chat-\(self.started)-\(self.sentLines)", isAction: isAction))
    }

    private mutating func endInput() {
        self.hasInputEnded = true
        if !self.outbox.isEmpty, self.follower.descriptor == nil {
            self.report("waiting for the daemon to send the rest; Ctrl-C gives up")
        }
    }

    // MARK: The daemon

    /// Sends what is typed, one text at a time, without waiting: a daemon that answers late does
    /// not keep anybody from typing.
    private mutating func sendOutbox() throws(Failure) {
        let follower = self.follower
        if let sending = self.sending {
            let sent = try Failure.of { () throws(ClientError) in
                try follower.answer(to: sending)
            }
            guard let sent else { return }
            self.sending = nil
            self.outbox.removeFirst()
            let isShutOut = sent["shutOut"] == .bool(true)
            if isShutOut, !self.isShutOut {
                self.report(SendCommand.shutOut)
                try self.draw()
            }
            self.isShutOut = isShutOut
        }
        guard let next = self.outbox.first else { return }
        let params = SendMethod.Params {
            $0.to = self.to
            $0.text = next.text
            $0.kind = next.isAction ? .action : nil
            $0.idempotencyKey = next.key
        }
        // Where the connection is lost the text waits for the next one.
        self.sending = try Failure.of { () throws(ClientError) in
            try follower.ask(SendMethod.self, params)
        }
    }

    private mutating func show(_ events: [MessageFollower.Event]) throws(Failure) {
        guard !events.isEmpty else { return }
        try self.erase()
        var messages: [JSON] = []
        var last: Int64?
        for event in events {
            switch event {
            case .message(let message):
                messages.append(message)
                last = message.count("cursor")
                try self.console.print(self.lines.text(message))
            case .change(let change):
                last = change.count("cursor")
                try self.console.print(self.lines.text(ofChange: change))
            case .gap(let gap): self.report("messages are missing: \(gap.shown("reason"))")
            case .lost(let error):
                self.sending = nil
                self.report("\(error.reason); connecting again, your text is kept")
            case .connected: self.report("connected again")
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
        let typed = self.editor.map(\.text) ?? ""
        for text in self.outbox.map(\.text) + [typed] where !text.isEmpty {
            self.report("not sent: \(TerminalText.line(text))")
        }
    }
}
