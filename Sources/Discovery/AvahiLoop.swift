import CAvahi
import Glibc
import Loop
import Posix

/// Lets the Avahi library wait for descriptors and times on our event loop: its `AvahiPoll` table.
final class AvahiLoop {
    /// The table, at a fixed address because the library keeps a pointer to it.
    let table: UnsafeMutablePointer<AvahiPoll>
    fileprivate let loop: EventLoop
    fileprivate var share = PacketShare()
    /// The one in which the library waits for all that it does at some time.
    private weak var timeout: AvahiLoopTimeout?

    /// Late by so much is harmless: mDNS itself waits 20 to 120 ms at random.
    ///
    /// RFC 6762 section 6.
    fileprivate static let accuracy = LoopTimer.Accuracy.milliseconds(5)

    init(loop: EventLoop) {
        self.loop = loop
        self.table = .allocate(capacity: 1)
        self.table.initialize(
            to: AvahiPoll(
                userdata: nil,
                watch_new: { api, descriptor, events, callback, context in
                    guard let callback, let owner = AvahiLoop.owner(of: api) else { return nil }
                    let watch = AvahiLoopWatch(
                        owner, descriptor: descriptor, events: events, callback: callback,
                        context: context)
                    return watch.map { OpaquePointer(Unmanaged.passRetained($0).toOpaque()) }
                },
                watch_update: { AvahiLoopWatch.from($0)?.update($1) },
                watch_get_events: { AvahiLoopWatch.from($0)?.happened ?? AvahiWatchEvent(0) },
                watch_free: { pointer in
                    guard let pointer else { return }
                    Unmanaged<AvahiLoopWatch>.fromOpaque(UnsafeRawPointer(pointer))
                        .takeRetainedValue().cancel()
                },
                timeout_new: { api, time, callback, context in
                    guard let callback, let owner = AvahiLoop.owner(of: api) else { return nil }
                    let timeout = AvahiLoopTimeout(owner, callback: callback, context: context)
                    timeout?.set(time)
                    owner.timeout = timeout
                    return timeout.map { OpaquePointer(Unmanaged.passRetained($0).toOpaque()) }
                },
                timeout_update: { AvahiLoopTimeout.from($0)?.set($1) },
                timeout_free: { pointer in
                    guard let pointer else { return }
                    Unmanaged<AvahiLoopTimeout>.fromOpaque(UnsafeRawPointer(pointer))
                        .takeRetainedValue().cancel()
                }))
        self.table.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        self.table.deallocate()
    }

    /// Whether something is due by the library's own clock.
    fileprivate var isLate: Bool { self.timeout?.isDue ?? false }

    private static func owner(of api: UnsafePointer<AvahiPoll>?) -> AvahiLoop? {
        api?.pointee.userdata.map { Unmanaged<AvahiLoop>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// An `AvahiWatch`: one descriptor that the library waits for.
private final class AvahiLoopWatch {
    /// What is reported at this moment, for `watch_get_events`.
    private(set) var happened = AvahiWatchEvent(0)
    private var watch: IOWatch?
    private let owner: AvahiLoop
    private var interest: IOEvents
    /// Ends the rest that packets have taken too much for.
    private var rest: LoopTimer?
    private var isResting = false

    init?(
        _ owner: AvahiLoop, descriptor: Int32, events: AvahiWatchEvent,
        callback: @escaping AvahiWatchCallback, context: UnsafeMutableRawPointer?
    ) {
        self.owner = owner
        self.interest = AvahiLoopWatch.interest(in: events)
        let watch = try? owner.loop.watch(descriptor, for: self.interest) { [weak self] happened in
            // The local reference keeps the watch while the library frees it in its callback.
            guard let self else { return }
            self.happened = AvahiLoopWatch.events(of: happened)
            let itself = OpaquePointer(Unmanaged.passUnretained(self).toOpaque())
            let began = SystemClock.threadMicroseconds()
            callback(itself, descriptor, self.happened, context)
            self.happened = AvahiWatchEvent(0)
            self.took(SystemClock.threadMicroseconds() - began)
        }
        // The library copes with a watch that it does not get.
        guard let watch else { return nil }
        self.watch = watch
    }

    static func from(_ pointer: OpaquePointer?) -> AvahiLoopWatch? {
        pointer.map {
            Unmanaged<AvahiLoopWatch>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
        }
    }

    func update(_ events: AvahiWatchEvent) {
        self.interest = AvahiLoopWatch.interest(in: events)
        if !self.isResting { self.watch?.set(self.interest) }
    }

    func cancel() {
        self.watch?.cancel()
        self.watch = nil
        self.rest?.cancel()
        self.rest = nil
    }

    private func took(_ microseconds: UInt64) {
        let now = SystemClock.monotonicMicroseconds()
        let rest = self.owner.share.take(microseconds, isLate: self.owner.isLate, at: now)
        guard let watch = self.watch, let rest else { return }
        if self.rest == nil {
            self.rest = try? self.owner.loop.makeTimer { [weak self] in
                guard let self else { return }
                self.isResting = false
                self.watch?.set(self.interest)
            }
        }
        // Without a timer nothing would end it.
        guard let timer = self.rest else { return }
        self.isResting = true
        watch.set([])
        timer.set(deadlineMicroseconds: now + rest, accuracy: .milliseconds(5))
    }

    private static func interest(in events: AvahiWatchEvent) -> IOEvents {
        var interest: IOEvents = []
        if events.rawValue & AVAHI_WATCH_IN.rawValue != 0 { interest.insert(.readable) }
        if events.rawValue & AVAHI_WATCH_OUT.rawValue != 0 { interest.insert(.writable) }
        return interest
    }

    private static func events(of happened: IOEvents) -> AvahiWatchEvent {
        var events: UInt32 = 0
        if happened.contains(.readable) { events |= AVAHI_WATCH_IN.rawValue }
        if happened.contains(.writable) { events |= AVAHI_WATCH_OUT.rawValue }
        if happened.contains(.hangup) { events |= AVAHI_WATCH_HUP.rawValue }
        if happened.contains(.error) { events |= AVAHI_WATCH_ERR.rawValue }
        return AvahiWatchEvent(events)
    }
}

/// An `AvahiTimeout`: one moment that the library waits for.
private final class AvahiLoopTimeout {
    private var timer: LoopTimer?
    /// What the timer is set to.
    private var moment: (seconds: Int, microseconds: Int)?

    /// Whether what it waits for is due.
    var isDue: Bool { self.moment.map { Self.microseconds(until: $0) <= 0 } ?? false }

    init?(
        _ owner: AvahiLoop, callback: @escaping AvahiTimeoutCallback,
        context: UnsafeMutableRawPointer?
    ) {
        let timer = try? owner.loop.makeTimer { [weak self] in
            guard let self else { return }
            self.moment = nil
            callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), context)
        }
        guard let timer else { return nil }
        self.timer = timer
    }

    static func from(_ pointer: OpaquePointer?) -> AvahiLoopTimeout? {
        pointer.map {
            Unmanaged<AvahiLoopTimeout>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
        }
    }

    /// Sets the timeout to a moment of the wall clock, which is how the library tells time.
    ///
    /// The library does so with each packet. A timer that is set anew is no longer about to fire, so what
    /// is due would wait for as long as packets come; it keeps its turn, and a late one has the next.
    func set(_ time: UnsafePointer<timeval>?) {
        guard let time = time?.pointee else {
            self.moment = nil
            self.timer?.clear()
            return
        }
        if let moment = self.moment, moment == (time.tv_sec, Int(time.tv_usec)) { return }
        self.moment = (time.tv_sec, Int(time.tv_usec))
        let microseconds = Self.microseconds(until: (time.tv_sec, Int(time.tv_usec)))
        // Rounded up, since the library asks the clock again and goes back to sleep when early.
        let delay = UInt64(max(0, microseconds) + 999) / 1_000
        self.timer?.set(
            afterMilliseconds: delay, accuracy: delay == 0 ? .exact : AvahiLoop.accuracy)
    }

    private static func microseconds(until moment: (seconds: Int, microseconds: Int)) -> Int {
        var now = timeval()
        gettimeofday(&now, nil)
        return (moment.seconds - now.tv_sec) * 1_000_000 + (moment.microseconds - Int(now.tv_usec))
    }

    func cancel() {
        self.timer?.cancel()
    }
}
