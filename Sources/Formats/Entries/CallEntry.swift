internal import Crypto

/// What is left of a call: an entry of kind 39, which the caller's device writes once it is over.
///
/// `Docs/Protocol/Entries.md` section 3. Readers that do not know it show its fallback text.
package struct CallEntry: Hashable, Sendable {
    package enum Outcome: UInt8, Hashable, Sendable, CaseIterable {
        case answered = 1
        /// Nobody answered.
        case missed = 2
        case declined = 3
        /// The caller ended it before it was answered.
        case cancelled = 4
        /// It was answered, and no connection came about.
        case failed = 5
    }

    package let outcome: Outcome
    /// How long it lasted; 0 where it was not answered.
    package let seconds: UInt64
    /// Who was called; ascending, 1 to ``Limits/calledPeople``.
    package let people: [PersonID]
    /// What readers show that do not know calls.
    package let fallback: String

    private static let outcomeType: UInt64 = 1
    private static let fallbackType: UInt64 = 2
    private static let secondsType: UInt64 = 3
    private static let peopleType: UInt64 = 5
    static let mustKnow = [Self.outcomeType, Self.secondsType, Self.peopleType]

    /// Describes a call; nil where a value is beyond its limit.
    package init?(
        _ outcome: Outcome, seconds: UInt64, people: some Sequence<PersonID>, fallback: String
    ) {
        let people = Set(people).sorted()
        guard (1...Limits.calledPeople).contains(people.count),
            (1...Limits.fallbackBytes).contains(fallback.utf8.count)
        else { return nil }
        self.outcome = outcome
        self.seconds = seconds
        self.people = people
        self.fallback = fallback
    }

    func write(to writer: inout WireWriter) {
        writer.field(Self.outcomeType, [self.outcome.rawValue])
        writer.field(Self.fallbackType, text: self.fallback)
        var seconds = WireWriter(capacity: 9)
        seconds.varint(self.seconds)
        writer.field(Self.secondsType, seconds.bytes)
        writer.field(Self.peopleType, self.people.flatMap { $0.hash.bytes })
    }

    init?(_ fields: FieldList) {
        guard let outcome = fields.value(of: Self.outcomeType), outcome.count == 1,
            let outcome = outcome.first.flatMap({ Outcome(rawValue: $0) }),
            let seconds = fields.value(of: Self.secondsType),
            let people = fields.ascending(Self.peopleType, most: Limits.calledPeople),
            !people.isEmpty,
            let fallback = fields.text(of: Self.fallbackType, bytes: 1...Limits.fallbackBytes)
        else { return nil }
        var reader = WireReader(Array(seconds))
        guard let seconds = try? reader.varint("call seconds"), reader.remaining == 0 else {
            return nil
        }
        self.init(
            outcome, seconds: seconds, people: people.map { PersonID($0) }, fallback: fallback)
    }
}
