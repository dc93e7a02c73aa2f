internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// The timers of a shell: those that the node arms, and what the shell itself does later.
///
/// Lives on the loop. What is due is run as a turn of the owner.
final class ShellTimers {
    private let loop: EventLoop
    private let turn: (() -> Void) -> Void
    private let tell: (Event) -> Void
    private var armed: [Engine.Timer: LoopTimer] = [:]
    private var delays: [UInt64: LoopTimer] = [:]
    private var lastDelay: UInt64 = 0
    private var exact: LoopTimer?
    private var clock: ClockMonitor?

    /// - Parameters:
    ///   - turn: runs what the loop calls as one turn of the owner.
    ///   - tell: takes ``Event/timer(_:)``.
    init(
        loop: EventLoop, turn: @escaping (() -> Void) -> Void, tell: @escaping (Event) -> Void
    ) {
        self.loop = loop
        self.turn = turn
        self.tell = tell
    }

    /// Tells ``Event/clockSet`` whenever the system's clock is set.
    func followClock() throws(SystemError) {
        self.clock = try ClockMonitor(loop: self.loop) { [weak self] in
            self?.turn { self?.tell(.clockSet) }
        }
    }

    /// Tells ``Event/timer(_:)`` at a monotonic moment in milliseconds; replaces the same timer.
    func arm(_ timer: Engine.Timer, at moment: UInt64) throws(SystemError) {
        if self.armed[timer] == nil {
            self.armed[timer] = try self.loop.makeTimer {
                // Most timers name something that may be gone for good, so none is kept.
                self.disarm(timer)
                self.turn { self.tell(.timer(timer)) }
            }
        }
        self.armed[timer]?.set(deadlineMilliseconds: moment, accuracy: timer.accuracy)
    }

    /// Does not tell of a timer that has been armed.
    func disarm(_ timer: Engine.Timer) { self.armed.removeValue(forKey: timer)?.cancel() }

    /// Tells of no timer of the node any more.
    func disarmAll() {
        for timer in self.armed.values { timer.cancel() }
        self.armed = [:]
    }

    /// Does something later, once.
    func after(
        _ milliseconds: UInt64, accuracy: LoopTimer.Accuracy, _ body: @escaping () -> Void
    ) throws(SystemError) {
        self.lastDelay += 1
        let number = self.lastDelay
        let timer = try self.loop.makeTimer {
            self.delays[number] = nil
            self.turn(body)
        }
        timer.set(afterMilliseconds: milliseconds, accuracy: accuracy)
        self.delays[number] = timer
    }

    /// Does the one thing that is timed in microseconds, the next turn for history; not as a turn.
    func atExactly(
        _ microseconds: UInt64, _ body: @escaping () -> Void
    ) throws(SystemError) {
        if self.exact == nil { self.exact = try self.loop.makeTimer(body) }
        self.exact?.set(deadlineMicroseconds: microseconds, accuracy: .exact)
    }
}

extension Engine.Timer {
    /// How late a timer may be: what people wait for is exact, the rest shares wake-ups.
    fileprivate var accuracy: LoopTimer.Accuracy {
        switch self {
        case .packets: .milliseconds(1)
        case .delta, .fetch, .stagger, .probe, .delivery, .connect, .search, .dialBacks, .groups:
            .milliseconds(5)
        case .pulse, .trial, .seek, .addresses: .milliseconds(100)
        case .ping, .redial, .release, .networkCheck, .storage, .secrets, .payloads, .alerts,
            .marks, .holes, .transfers, .signals, .streams, .devices:
            .coarse
        }
    }
}
