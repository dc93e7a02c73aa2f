internal import ControlAPI

/// The calls that ring, as a desktop shows them: `Docs/Protocol/Ephemeral.md` section 5.
struct CallRings: Equatable, Sendable {
    private struct Ring: Equatable, Sendable {
        var call: ArraySlice<UInt8>
        var until: Int64
    }

    /// A caller repeats it every two seconds.
    private static let milliseconds: Int64 = 7_000
    /// The kinds of signals that matter here.
    private static let (ring, leave, taken): (UInt8, UInt8, UInt8) = (1, 5, 8)
    private static let callBytes = 8

    /// By conversation.
    private var rings: [String: Ring] = [:]

    var nextDue: Int64? { self.rings.values.map(\.until).min() }

    private static func tag(_ conversation: String) -> String { "call \(conversation)" }

    /// The conversation in which a call rings whose notification has this tag.
    func conversation(of tag: String) -> String? {
        self.rings.keys.first { Self.tag($0) == tag }
    }

    /// - Parameter name: the name of the conversation; nil where a call does not ring.
    mutating func hear(
        _ event: CallEvent, of name: String?, at now: Int64
    ) -> [NotifierEffect] {
        let (id, bytes) = (event.conversation, event.data.bytes)
        guard let kind = bytes.first, bytes.count > Self.callBytes else { return [] }
        let call = bytes[1...Self.callBytes]
        switch kind {
        case Self.ring:
            guard let name else { return [] }
            let isNew = self.rings[id]?.call != call
            self.rings[id] = Ring(call: call, until: now + Self.milliseconds)
            guard isNew else { return [] }
            var note = DesktopNote(title: "\(name) is calling", text: "")
            note.isUrgent = true
            note.actions = [.answer]
            note.person = "@\(event.peer)"
            return [.show(tag: Self.tag(id), note)]
        case Self.leave where self.rings[id]?.call == call,
            Self.taken where self.rings[id]?.call == call:
            self.rings[id] = nil
            return [.close(tag: Self.tag(id))]
        default: return []
        }
    }

    /// Ends those whose callers were not heard.
    mutating func expire(at now: Int64) -> [NotifierEffect] {
        let over = self.rings.filter { $0.value.until <= now }.keys.sorted()
        for id in over { self.rings[id] = nil }
        return over.map { .close(tag: Self.tag($0)) }
    }
}
