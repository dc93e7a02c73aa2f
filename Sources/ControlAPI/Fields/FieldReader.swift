/// Reads the fields of a value from the members of an object or from positions.
struct FieldReader: FieldVisitor {
    /// Why a field cannot be read.
    enum Fault: Equatable {
        case missing(String)
        case bad(String, due: String)
    }

    /// The first fault; fields after it are not read.
    private(set) var fault: Fault?
    /// How many of the members or positions belong to a field.
    private(set) var used = 0
    private let members: [JSON.Member]
    private let positions: [JSON]?
    private var index = 0

    init(members: [JSON.Member]) {
        self.members = members
        self.positions = nil
    }

    init(positions: [JSON]) {
        self.members = []
        self.positions = positions
    }

    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString
    ) {
        guard let json = self.next(name), json != .null else {
            if Value.isRequired, self.fault == nil { self.fault = .missing(name.description) }
            return
        }
        guard self.fault == nil else { return }
        if rule.accepts(json), let read = Value(field: json) {
            value = read
        } else {
            self.fault = .bad(name.description, due: rule.due ?? Value.noun)
        }
    }

    private mutating func next(_ name: StaticString) -> JSON? {
        defer { self.index += 1 }
        if let positions = self.positions {
            guard self.index < positions.count else { return nil }
            self.used += 1
            return positions[self.index]
        }
        for member in self.members where name.isEqual(to: member.name) {
            self.used += 1
            return member.value
        }
        return nil
    }
}

extension StaticString {
    /// Whether this is the same bytes, without making a string of it.
    func isEqual(to name: String) -> Bool {
        self.withUTF8Buffer { bytes in
            guard name.utf8.count == bytes.count else { return false }
            let span = name.utf8.span
            for index in bytes.indices where span[index] != bytes[index] { return false }
            return true
        }
    }
}
