/// A place on the Earth, as a message tells it.
///
/// `Docs/Protocol/Entries.md` section 3. Shown with a `geo:` URI (RFC 5870).
package struct Location: Hashable, Sendable {
    /// Parts of a degree: one is a centimetre.
    private static let perDegree = 1e7
    private static let placeType: UInt64 = 1
    private static let accuracyType: UInt64 = 8
    private static let labelType: UInt64 = 10
    static let mustKnow = [Self.placeType]
    /// The most that an accuracy can say, in metres: half way round the Earth.
    package static let accuracyMetres = 0...20_037_508

    /// Ten-millionths of a degree north, from -90 to 90 degrees.
    private let north: Int32
    /// Ten-millionths of a degree east, from -180 to 180 degrees.
    private let east: Int32
    /// How far it may be off, in metres; nil where that is not said.
    package let accuracy: Int?
    /// What the place is called; nil for no name.
    package let label: String?

    /// Names a place in degrees; nil for one that is not on the Earth, for an accuracy beyond
    /// ``accuracyMetres``, and for a label that is empty or has more than ``Limits/labelBytes``.
    package init?(latitude: Double, longitude: Double, accuracy: Int? = nil, label: String? = nil) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
        self.init(
            north: Int32((latitude * Self.perDegree).rounded()),
            east: Int32((longitude * Self.perDegree).rounded()), accuracy: accuracy, label: label)
    }

    private init?(north: Int32, east: Int32, accuracy: Int?, label: String?) {
        guard Double(north).magnitude <= 90 * Self.perDegree,
            Double(east).magnitude <= 180 * Self.perDegree,
            accuracy.map(Self.accuracyMetres.contains) ?? true,
            label.map({ (1...Limits.labelBytes).contains($0.utf8.count) }) ?? true
        else { return nil }
        self.north = north
        self.east = east
        self.accuracy = accuracy
        self.label = label
    }

    package var latitude: Double { Double(self.north) / Self.perDegree }

    package var longitude: Double { Double(self.east) / Self.perDegree }

    /// The same as a URI of RFC 5870.
    package var uri: String {
        func degrees(_ value: Int32) -> String {
            let whole = value.magnitude / 10_000_000
            var parts = String(value.magnitude % 10_000_000 + 10_000_000).dropFirst()
            while parts.last == "0" { parts.removeLast() }
            return (value < 0 ? "-" : "") + "\(whole)" + (parts.isEmpty ? "" : ".\(parts)")
        }
        let uncertainty = self.accuracy.map { ";u=\($0)" } ?? ""
        return "geo:\(degrees(self.north)),\(degrees(self.east))\(uncertainty)"
    }

    func write(to writer: inout WireWriter) {
        var place = WireWriter(capacity: 8)
        place.u64(
            UInt64(UInt32(bitPattern: self.north)) << 32 | UInt64(UInt32(bitPattern: self.east)))
        writer.field(Self.placeType, place.bytes)
        if let accuracy = self.accuracy {
            var metres = WireWriter(capacity: 4)
            metres.varint(accuracy)
            writer.field(Self.accuracyType, metres.bytes)
        }
        if let label = self.label { writer.field(Self.labelType, text: label) }
    }

    init?(_ fields: FieldList) {
        guard let place = fields.value(of: Self.placeType), place.count == 8 else { return nil }
        let both = place.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var accuracy: Int?
        if let value = fields.value(of: Self.accuracyType) {
            var reader = WireReader(Array(value))
            guard
                let metres = try? reader.count(
                    "accuracy", limit: Self.accuracyMetres.upperBound), reader.remaining == 0
            else { return nil }
            accuracy = metres
        }
        let label = fields.text(of: Self.labelType, bytes: 1...Limits.labelBytes)
        guard label != nil || fields.value(of: Self.labelType) == nil else { return nil }
        self.init(
            north: Int32(bitPattern: UInt32(truncatingIfNeeded: both >> 32)),
            east: Int32(bitPattern: UInt32(truncatingIfNeeded: both)), accuracy: accuracy,
            label: label)
    }
}
