/// Reads as much of a value as can be read, for a client whose daemon is older or newer than it is.
///
/// A field that is missing, or that is of another type, keeps its default; so does a word that this version
/// does not know. Members that no field has are passed over. It never fails.
struct LenientReader: FieldVisitor {
    private let members: [JSON.Member]
    /// Behind the last member that belongs to a field.
    ///
    /// The next field is probably there: daemons write fields in the order in which they are visited.
    private var next = 0
    /// How many members belong to a field that was visited.
    private var used = 0

    init(members: [JSON.Member]) { self.members = members }

    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString
    ) {
        guard let json = self.member(name), let read = Value(lenient: json) else { return }
        value = read
    }

    private mutating func member(_ name: StaticString) -> JSON? {
        guard self.used < self.members.count,
            let place = self.place(of: name, in: self.next..<self.members.count)
                // Only what was passed over is looked for among the first.
                ?? (self.used < self.next ? self.place(of: name, in: 0..<self.next) : nil)
        else { return nil }
        self.next = max(self.next, place + 1)
        self.used += 1
        return self.members[place].value
    }

    private func place(of name: StaticString, in range: Range<Int>) -> Int? {
        range.first { name.isEqual(to: self.members[$0].name) }
    }
}

extension ControlValue {
    /// Reads what the daemon wrote; what is no object is read as an empty one.
    package init(reading json: JSON) {
        self = Self(lenient: json) ?? Self(lenient: .object([])) ?? Self()
    }

    package init?(lenient json: JSON) {
        guard case .object(let members) = json else { return nil }
        self.init(lenientFrom: members)
    }

    init(lenientFrom members: [JSON.Member]) {
        self.init()
        var reader = LenientReader(members: members)
        self.fields(&reader)
    }
}
