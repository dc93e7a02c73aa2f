/// Reads as much of a value as can be read, for a client whose daemon is older or newer than it is.
///
/// A field that is missing, or that is of another type, keeps its default; so does a word that this version
/// does not know. Members that no field has are passed over. It never fails.
struct LenientReader: FieldVisitor {
    private let members: [JSON.Member]
    /// Where the next field probably is: daemons write fields in the order in which they are visited.
    private var next = 0

    init(members: [JSON.Member]) { self.members = members }

    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString
    ) {
        guard let json = self.member(name), let read = Value(lenient: json) else { return }
        value = read
    }

    private mutating func member(_ name: StaticString) -> JSON? {
        let next = self.next
        guard
            let place = self.members[next...].firstIndex(where: { name.isEqual(to: $0.name) })
                ?? self.members[..<next].firstIndex(where: { name.isEqual(to: $0.name) })
        else { return nil }
        self.next = place + 1
        return self.members[place].value
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
