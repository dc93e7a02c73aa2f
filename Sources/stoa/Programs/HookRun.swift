import ControlAPI
import ControlClient
import Posix

/// One run of `stoa on`, once it is subscribed: takes events and runs the command for each, in order.
struct HookRun {
    let hook: Hook
    let event: OnCommand.Event
    let match: TextPattern?
    let retries: Int64
    let context: CommandContext
    let follower: MessageFollower
    /// The last cursor that is dealt with.
    private var handled: Int64 = 0
    private var isEnding = false

    /// The first and the longest pause before a command is run again, in milliseconds.
    private static let pauses: ClosedRange<Int64> = 1_000...60_000

    init(
        hook: Hook, event: OnCommand.Event, match: TextPattern?, retries: Int64,
        context: CommandContext, follower: MessageFollower
    ) {
        self.hook = hook
        self.event = event
        self.match = match
        self.retries = retries
        self.context = context
        self.follower = follower
    }

    /// Ends when the program is told to.
    mutating func run() throws(Failure) {
        do throws(Failure) { try self.follow() } catch {
            guard error.isInterrupt else { throw error }
        }
        let follower = self.follower
        try Failure.of { () throws(ClientError) in try follower.finish() }
        let why = Interrupts.last.map { "ended by \($0.name)" } ?? "ended"
        self.report("\(why); the same command continues from there")
    }

    private mutating func follow() throws(Failure) {
        let follower = self.follower
        var events = try Failure.of { () throws(ClientError) in try follower.takeEvents() }
        while true {
            for event in events where !self.isEnding { try self.take(event) }
            if self.isEnding { return }
            events = try follower.awaitEvents(whileOpen: nil)
        }
    }

    private mutating func take(_ event: MessageFollower.Event) throws(Failure) {
        switch event {
        case .message(let message): try self.take(HookEvent(message))
        case .change(let change): try self.take(HookEvent(change))
        case .piece, .missing: break
        case .gap(let gap):
            self.report(
                "events after cursor \(gap.from) up to \(gap.to) are missing: "
                    + gap.reason.shown)
        case .lost(let error): self.report("\(error.reason); connecting again")
        case .connected:
            self.report("connected again")
            if self.handled > 0 { try self.settle(self.handled) }
        }
    }

    private mutating func take(_ event: HookEvent) throws(Failure) {
        // What a lost connection had brought comes again over the next one.
        guard event.cursor > self.handled else { return }
        if self.isMeant(event) {
            guard self.runUntilDone(event) else { return self.isEnding = true }
        }
        self.handled = event.cursor
        try self.settle(event.cursor)
    }

    private func settle(_ cursor: Int64) throws(Failure) {
        let follower = self.follower
        try Failure.of { () throws(ClientError) in try follower.settle(cursor) }
    }

    private func isMeant(_ event: HookEvent) -> Bool {
        switch self.event {
        case .direct where !event.isDirect: false
        case .alert where !event.isAlert: false
        default: self.match?.isFound(in: event.text) ?? true
        }
    }

    /// Runs the command until it ends with 0, or has been tried often enough; false where the program is
    /// to end first.
    private func runUntilDone(_ event: HookEvent) -> Bool {
        let variables = event.variables(event: self.event.rawValue)
        var attempts: Int64 = 0
        while true {
            switch self.hook.run(event.json, variables) {
            case .done: return true
            case .interrupted(let isDone):
                if isDone {
                    // Done all the same: it need not come again.
                    try? self.settle(event.cursor)
                }
                return false
            case .failed(let why):
                attempts += 1
                let name = TerminalText.line(self.hook.words.first ?? "")
                let id = event.id.isEmpty ? "" : " \(event.id.prefix(12))"
                let what = "\(name) \(why), for \(self.event.rawValue)\(TerminalText.line(id))"
                if attempts > self.retries {
                    self.report("\(what); given up after \(attempts) attempts")
                    return true
                }
                let pause = min(
                    Self.pauses.lowerBound << min(attempts - 1, 6), Self.pauses.upperBound)
                self.report("\(what); again in \(pause / 1_000) s")
                do throws(Failure) { try PollWait.pause(milliseconds: Int32(pause)) } catch {
                    return false
                }
            }
        }
    }

    private func report(_ text: String) { self.context.console.report("stoa: on: \(text)\n") }
}
