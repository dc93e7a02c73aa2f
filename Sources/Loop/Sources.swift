import CSystemd
import Glibc
import Posix

/// What a descriptor is watched for, and what has happened to it.
public struct IOEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set from bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the end.
    public static let readable = IOEvents(rawValue: 1)
    /// There is room to write, or a connect has ended.
    public static let writable = IOEvents(rawValue: 2)
    /// Both directions are closed; reported without being asked for.
    public static let hangup = IOEvents(rawValue: 4)
    /// There is an error to fetch; reported without being asked for.
    public static let error = IOEvents(rawValue: 8)

    /// The events as epoll_ctl(2) has them; only reading and writing can be asked for.
    var epoll: UInt32 {
        (self.contains(.readable) ? UInt32(EPOLLIN.rawValue) : 0)
            | (self.contains(.writable) ? UInt32(EPOLLOUT.rawValue) : 0)
    }

    init(epoll events: UInt32) {
        var found: IOEvents = []
        if events & UInt32(EPOLLIN.rawValue) != 0 { found.insert(.readable) }
        if events & UInt32(EPOLLOUT.rawValue) != 0 { found.insert(.writable) }
        if events & UInt32(EPOLLHUP.rawValue) != 0 { found.insert(.hangup) }
        if events & UInt32(EPOLLERR.rawValue) != 0 { found.insert(.error) }
        self = found
    }
}

/// Keeps a handler alive for as long as sd-event may call it.
final class SourceBox<Handler> {
    let handler: Handler

    init(_ handler: Handler) {
        self.handler = handler
    }

    /// The pointer for sd-event, which holds the box until the source is destroyed.
    func retained() -> UnsafeMutableRawPointer {  // the C API has one untyped pointer per source
        Unmanaged.passRetained(self).toOpaque()
    }

    /// Undoes ``retained()`` when no source came of it.
    func released() {
        Unmanaged.passUnretained(self).release()
    }

    /// The box behind a pointer; the strong reference keeps it while its handler ends its source.
    static func from(_ pointer: UnsafeMutableRawPointer?) -> SourceBox? {
        pointer.map { Unmanaged<SourceBox>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// One sd-event source, destroyed once and on the loop's thread.
struct OwnedSource: ~Copyable {
    let source: OpaquePointer
    private let loop: EventLoop

    init(_ source: OpaquePointer, loop: EventLoop) {
        self.source = source
        self.loop = loop
    }

    deinit {
        if self.loop.isOnLoop {
            sd_event_source_disable_unref(self.source)
            return
        }
        // An actor that owned the handle may end on any thread, but the source belongs to the
        // loop's. Until it gets there the handler may still be called.
        let condemned = CondemnedSource(source: self.source)
        self.loop.post { sd_event_source_disable_unref(condemned.source) }
    }

    borrowing func checkIsolated() {
        self.loop.checkIsolated()
    }
}

private struct CondemnedSource: @unchecked Sendable {  // has no other reference left
    let source: OpaquePointer
}

/// A watched descriptor; it is watched until ``cancel()`` or the last reference goes.
public final class IOWatch {
    private var owned: OwnedSource?
    /// What the descriptor is watched for.
    public private(set) var interest: IOEvents

    init(_ owned: consuming OwnedSource, interest: IOEvents) {
        self.owned = consume owned
        self.interest = interest
        if interest.epoll == 0 { self.set(interest) }
    }

    /// Changes what is reported; with an empty set nothing is, not even a hang-up.
    ///
    /// After ``cancel()`` it has no effect. Traps off the loop's thread.
    public func set(_ interest: IOEvents) {
        self.owned?.checkIsolated()
        self.interest = interest
        guard let source = self.source else { return }
        if interest.epoll == 0 {
            sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
        } else {
            sd_event_source_set_io_events(source, interest.epoll)
            sd_event_source_set_enabled(source, Int32(SD_EVENT_ON))
        }
    }

    /// Stops watching; the handler is not called again and is let go.
    ///
    /// Traps off the loop's thread.
    public func cancel() {
        self.owned?.checkIsolated()
        self.owned = nil
    }

    private var source: OpaquePointer? { self.owned?.source }
}

/// A one-shot timer that can be set again and again.
public final class LoopTimer {
    /// How much later than asked a timer may fire, so that wake-ups can be shared.
    public enum Accuracy: Hashable, Sendable {
        /// Up to 250 ms, the default of sd-event: for all that people do not wait for.
        case coarse
        /// Up to so many milliseconds.
        case milliseconds(UInt32)
        /// As exactly as the system can.
        case exact

        var microseconds: UInt64 {
            switch self {
            case .coarse: return 250_000
            case .milliseconds(let count): return max(1, UInt64(count) * 1_000)
            // Zero would mean the default.
            case .exact: return 1
            }
        }
    }

    private var owned: OwnedSource?

    init(_ owned: consuming OwnedSource) {
        self.owned = consume owned
    }

    /// Sets the timer, replacing an earlier setting; a deadline in the past fires at once.
    ///
    /// The deadline counts as `SystemClock.monotonicMilliseconds()` does and is never missed
    /// early. After ``cancel()`` it has no effect. Traps off the loop's thread.
    public func set(deadlineMilliseconds: UInt64, accuracy: Accuracy = .coarse) {
        self.owned?.checkIsolated()
        guard let source = self.owned?.source else { return }
        let (deadline, overflow) = deadlineMilliseconds.multipliedReportingOverflow(by: 1_000)
        sd_event_source_set_time(source, overflow ? UInt64.max : deadline)
        sd_event_source_set_time_accuracy(source, accuracy.microseconds)
        sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    }

    /// Sets the timer to so many milliseconds from now; otherwise as the other setter.
    public func set(afterMilliseconds delay: UInt64, accuracy: Accuracy = .coarse) {
        let (deadline, overflow) =
            SystemClock.monotonicMilliseconds().addingReportingOverflow(delay)
        self.set(deadlineMilliseconds: overflow ? .max : deadline, accuracy: accuracy)
    }

    /// Keeps the timer from firing until it is set again.
    ///
    /// Traps off the loop's thread.
    public func clear() {
        self.owned?.checkIsolated()
        guard let source = self.owned?.source else { return }
        sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    }

    /// Ends the timer and lets its handler go.
    ///
    /// Traps off the loop's thread.
    public func cancel() {
        self.owned?.checkIsolated()
        self.owned = nil
    }
}

/// A watched signal; it is watched until ``cancel()`` or the last reference goes.
///
/// The signal stays blocked afterwards, so one that comes late ends nothing by surprise.
public final class SignalWatch {
    private var owned: OwnedSource?

    init(_ owned: consuming OwnedSource) {
        self.owned = consume owned
    }

    /// Stops watching and lets the handler go.
    ///
    /// Traps off the loop's thread.
    public func cancel() {
        self.owned?.checkIsolated()
        self.owned = nil
    }
}
