internal import CPages
internal import Engine

/// A row as it stands in a page, of whatever table.
struct RawRow {
    enum Value: Hashable {
        case null
        case int(Int64)
        case text([UInt8])
        case blob([UInt8])
    }

    /// The row's number; 0 in a table without.
    var number: Int64
    var values: [Value]
    /// Whether all its pages have their checksum.
    var isSound: Bool
}

/// Reads the rows that stand in a page by themselves: without schema, indexes and the pages above.
///
/// Sections 1.6 and 2.1 of <https://www.sqlite.org/fileformat2.html>. What does not parse is left
/// out, so that damage costs the row that it hit.
struct RowReader {
    private let file: PageFile
    private let usable: Int
    /// The largest row that is believed: a payload and a header at their limits.
    private static let rowBytes = Limits.payloadBytes + 65_536

    init(_ file: PageFile) {
        self.file = file
        self.usable =
            file.pageBytes - (file.hasChecksums ? Int(CPAGES_RESERVED_BYTES) : 0)
    }

    /// The rows of a page; none where it holds none.
    func rows(
        _ page: [UInt8], number: UInt32, isSound: Bool
    ) throws(StoreFailure) -> [RawRow] {
        let start = number == 1 ? 100 : 0
        // Table leaf, index leaf, index interior: the last two are tables without row numbers.
        let kind = page[start]
        guard kind == 0x0D || kind == 0x0A || kind == 0x02 else { return [] }
        let pointers = start + (kind == 0x02 ? 12 : 8)
        let count = min(Self.short(page, start + 3), (self.usable - pointers) / 2)
        var rows: [RawRow] = []
        for index in 0..<max(0, count) {
            var place = Self.short(page, pointers + 2 * index) + (kind == 0x02 ? 4 : 0)
            guard let size = Self.varint(page, &place), size > 0, size <= Self.rowBytes else {
                continue
            }
            var number: Int64 = 0
            if kind == 0x0D {
                guard let read = Self.varint(page, &place) else { continue }
                number = read
            }
            guard
                let (bytes, isWhole) = try self.payload(
                    page, at: place, count: Int(size), isTable: kind == 0x0D),
                let values = Self.values(bytes)
            else { continue }
            rows.append(RawRow(number: number, values: values, isSound: isSound && isWhole))
        }
        return rows
    }

    /// A row's bytes, from this page and those that it overflows into.
    private func payload(
        _ page: [UInt8], at place: Int, count: Int, isTable: Bool
    ) throws(StoreFailure) -> (bytes: [UInt8], isSound: Bool)? {
        let most = isTable ? self.usable - 35 : (self.usable - 12) * 64 / 255 - 23
        let least = (self.usable - 12) * 32 / 255 - 23
        var local = count
        if count > most {
            let fitting = least + (count - least) % (self.usable - 4)
            local = fitting <= most ? fitting : least
        }
        guard place + local + (local < count ? 4 : 0) <= self.usable else { return nil }
        var bytes = Array(page[place..<place + local])
        guard local < count else { return (bytes, true) }
        var isSound = true
        var next = Self.word(page, place + local)
        while bytes.count < count {
            guard (1...self.file.count).contains(next) else { return nil }
            let (more, state) = try self.file.page(next)
            isSound = isSound && state != .damaged
            bytes += more[4..<min(self.usable, 4 + count - bytes.count)]
            next = Self.word(more, 0)
        }
        return (bytes, isSound)
    }

    /// The columns of a record; nil where it is none.
    private static func values(_ bytes: [UInt8]) -> [RawRow.Value]? {
        var place = 0
        guard let headerBytes = Self.varint(bytes, &place), headerBytes >= 1,
            headerBytes <= bytes.count
        else { return nil }
        var values: [RawRow.Value] = []
        var body = Int(headerBytes)
        while place < Int(headerBytes) {
            guard let type = Self.varint(bytes, &place), values.count < 16,
                let value = Self.value(type, bytes, &body)
            else { return nil }
            values.append(value)
        }
        return body == bytes.count ? values : nil
    }

    private static func value(
        _ type: Int64, _ bytes: [UInt8], _ body: inout Int
    ) -> RawRow.Value? {
        let size: Int
        switch type {
        case 0: return .null
        case 1...4: size = Int(type)
        case 5: size = 6
        case 6: size = 8
        case 8: return .int(0)
        case 9: return .int(1)
        case 12...: size = Int((type - 12) / 2)
        default: return nil
        }
        guard size <= bytes.count - body else { return nil }
        let part = bytes[body..<body + size]
        body += size
        if type >= 12 { return type % 2 == 0 ? .blob(Array(part)) : .text(Array(part)) }
        let first = Int64(Int8(bitPattern: part.first ?? 0))
        return .int(part.dropFirst().reduce(first) { $0 << 8 | Int64($1) })
    }

    // MARK: Numbers

    private static func short(_ bytes: [UInt8], _ place: Int) -> Int {
        place + 2 <= bytes.count ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : 0
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A number of one to nine bytes; nil where the bytes end within it.
    private static func varint(_ bytes: [UInt8], _ place: inout Int) -> Int64? {
        var value: Int64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return value << 8 | Int64(byte) }
            value = value << 7 | Int64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
