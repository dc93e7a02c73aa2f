internal import ControlAPI

/// The calls that ring, as a desktop shows them: `Docs/Protocol/Ephemeral.md` section 5.
struct CallRings: Equatable, Sendable {
    /// The last one of a conversation that was shown.
    private struct Ring: Equatable, Sendable {
        let call: ArraySlice<UInt8>
        let begun: Int64
        var heard: Int64
        var isShown = true

        /// More rings renew only the first of the two.
        var until: Int64 {
            min(self.heard + CallRings.lostMilliseconds, self.begun + CallRings.longestMilliseconds)
        }
    }

    /// A caller repeats it every two seconds.
    private static let lostMilliseconds: Int64 = 7_000
    /// As long as a caller waits, and until it is lost.
    private static let longestMilliseconds: Int64 = 52_000
    /// Another call in the same conversation is shown no sooner.
    private static let pauseMilliseconds: Int64 = 10_000
    /// The kinds of signals that matter here.
    private static let (ring, leave, taken): (UInt8, UInt8, UInt8) = (1, 5, 8)
    private static let callBytes = 8

    // By conversation of two. They stay, so that what was shown once is not shown again.
    private var rings: [String: Ring] = [:]

    private var shown: [String: Ring] { self.rings.filter(\.value.isShown) }

    var nextDue: Int64? { self.shown.values.map(\.until).min() }

    private static func tag(_ conversation: String) -> String { "call \(conversation)" }

    /// The conversation in which a call rings whose notification has this tag, and the call's id.
    func ringing(of tag: String) -> (conversation: String, call: String)? {
        self.shown.first { Self.tag($0.key) == tag }.map { id, ring in
            let digits = ring.call.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return (id, digits.joined())
        }
    }

    /// - Parameter name: the name of the conversation; nil where a call does not ring.
    mutating func hear(
        _ event: CallEvent, of name: String?, at now: Int64
    ) -> [NotifierEffect] {
        let (id, bytes) = (event.conversation, event.data.bytes)
        guard let kind = bytes.first, bytes.count > Self.callBytes else { return [] }
        let call = bytes[1...Self.callBytes]
        let last = self.rings[id]
        switch kind {
        case Self.ring:
            guard let name else { return [] }
            if last?.call == call {
                self.rings[id]?.heard = now
                return []
            }
            if let last, now - last.begun < Self.pauseMilliseconds { return [] }
            self.rings[id] = Ring(call: call, begun: now, heard: now)
            var note = DesktopNote(title: "\(name) is calling", text: "")
            note.isUrgent = true
            note.actions = [.answer]
            note.person = "@\(event.peer)"
            return [.show(tag: Self.tag(id), note)]
        case Self.leave where last?.call == call, Self.taken where last?.call == call:
            return self.end([id])
        default: return []
        }
    }

    /// Ends those whose callers were not heard, or rang for too long.
    mutating func expire(at now: Int64) -> [NotifierEffect] {
        self.end(self.shown.filter { $0.value.until <= now }.keys.sorted())
    }

    private mutating func end(_ over: [String]) -> [NotifierEffect] {
        for id in over { self.rings[id]?.isShown = false }
        return over.map { .close(tag: Self.tag($0)) }
    }
}
