import Testing

@testable import Engine

/// Holds the value, since an expectation may not change one, and leaves numbers out.
private final class Gate {
    enum Verdict { case admitted, admittedForOldest, tooManyHandshakes, tooFast }

    private var value: Admission
    private var last: UInt64?

    init(_ value: Admission) { self.value = value }

    func admit(_ source: Source, at now: UInt64) -> Verdict {
        switch self.value.admit(source, at: now) {
        case .admitted(let number, let replaced):
            self.last = number
            return replaced == nil ? .admitted : .admittedForOldest
        case .tooManyHandshakes: return .tooManyHandshakes
        case .tooFast: return .tooFast
        }
    }

    /// Ends the handshake that was admitted last.
    func ended() { if let last = self.last { self.value.ended(last) } }
}

/// Holds the value, since an expectation may not change one.
private final class LogHolder {
    private var value = RefusalLog()

    func note(_ reason: String, _ source: String, at now: UInt64) -> String? {
        self.value.note(reason, source, at: now)
    }
}

@Suite struct AdmissionTests {
    private func address(_ text: String) -> Source {
        Source(text.contains(":") ? "[\(text)]:7000" : "\(text):7000")
    }

    // Shows: daemon.handshakes
    @Test("no more than the allowed handshakes are half-open at a time")
    func halfOpen() throws {
        let admission = Gate(Admission())
        for number in 0..<32 {
            let source = self.address("192.0.2.\(number)")
            #expect(admission.admit(source, at: 0) == .admitted)
        }
        let late = self.address("192.0.2.200")
        #expect(admission.admit(late, at: 0) == .tooManyHandshakes)
        admission.ended()
        #expect(admission.admit(late, at: 0) == .admitted)
    }

    @Test("a handshake that has been silent for long gives way to a new one, a young one does not")
    func eviction() throws {
        let admission = Gate(Admission())
        for number in 0..<32 {
            let source = self.address("192.0.2.\(number)")
            #expect(admission.admit(source, at: UInt64(number)) == .admitted)
        }
        let late = self.address("192.0.2.200")
        #expect(admission.admit(late, at: 499) == .tooManyHandshakes)
        #expect(admission.admit(late, at: 500) == .admittedForOldest)
        #expect(admission.admit(late, at: 500) == .tooManyHandshakes)
        #expect(admission.admit(late, at: 501) == .admittedForOldest)
    }

    // Shows: daemon.links
    @Test("a handshake gives way at once to one of a source with fewer of them")
    func sources() throws {
        let admission = Gate(Admission())
        let loud = self.address("192.0.2.66")
        for _ in 0..<32 { #expect(admission.admit(loud, at: 0) == .admitted) }
        #expect(admission.admit(loud, at: 1) == .tooManyHandshakes)
        for number in 1...16 {
            let quiet = self.address("192.0.2.\(number)")
            #expect(admission.admit(quiet, at: 1) == .admittedForOldest)
        }
        #expect(admission.admit(loud, at: 1) == .tooManyHandshakes)
        #expect(admission.admit(self.address("192.0.2.1"), at: 1) == .admittedForOldest)
    }

    // Shows: daemon.handshakes
    @Test("a source that goes on and on is slowed down, and others are not")
    func tokenBucket() throws {
        let admission = Gate(Admission())
        let loud = self.address("192.0.2.1")
        for _ in 0..<64 {
            #expect(admission.admit(loud, at: 1_000) == .admitted)
            admission.ended()
        }
        #expect(admission.admit(loud, at: 1_000) == .tooFast)
        #expect(admission.admit(self.address("192.0.2.2"), at: 1_000) == .admitted)
        admission.ended()
        #expect(admission.admit(loud, at: 1_124) == .tooFast)
        #expect(admission.admit(loud, at: 1_125) == .admitted)
        admission.ended()
        #expect(admission.admit(loud, at: 1_125) == .tooFast)
        // After a pause the whole burst is there again, and no more than that.
        for _ in 0..<64 {
            #expect(admission.admit(loud, at: 1_000_000) == .admitted)
            admission.ended()
        }
        #expect(admission.admit(loud, at: 1_000_000) == .tooFast)
    }

    @Test("one network of IPv6 counts as one source")
    func ipv6Network() throws {
        let admission = Gate(Admission())
        for number in 0..<64 {
            let source = self.address("2001:db8::\(number + 1)")
            #expect(admission.admit(source, at: 0) == .admitted)
            admission.ended()
        }
        #expect(admission.admit(self.address("2001:db8::ffff"), at: 0) == .tooFast)
        #expect(admission.admit(self.address("2001:db8:0:1::1"), at: 0) == .admitted)
    }

    @Test("the table of sources does not grow without bound, and empties by itself")
    func tableBound() throws {
        var bounds = Admission.Bounds()
        bounds.sources = 4
        let admission = Gate(Admission(bounds: bounds))
        for number in 0..<4 {
            #expect(admission.admit(self.address("192.0.2.\(number)"), at: 0) == .admitted)
            admission.ended()
        }
        #expect(admission.admit(self.address("192.0.2.9"), at: 0) == .tooFast)
        #expect(admission.admit(self.address("192.0.2.9"), at: 200) == .admitted)
    }

    @Test("a clock that stands still or a first call at zero gives no tokens for free")
    func still() throws {
        var bounds = Admission.Bounds()
        bounds.burst = 1
        let admission = Gate(Admission(bounds: bounds))
        let source = self.address("192.0.2.1")
        #expect(admission.admit(source, at: 0) == .admitted)
        admission.ended()
        #expect(admission.admit(source, at: 0) == .tooFast)
    }

    @Test("refusals are logged at once, then once a minute with their number")
    func refusalLog() {
        let log = LogHolder()
        #expect(
            log.note("too fast", "192.0.2.1", at: 10)
                == "1 connection refused, the last one from 192.0.2.1: too fast")
        for _ in 0..<5 { #expect(log.note("too fast", "192.0.2.1", at: 20) == nil) }
        #expect(
            log.note("too fast", "192.0.2.2", at: 60_010)
                == "6 connections refused, the last one from 192.0.2.2: too fast")
    }
}
