/// The bytes of clocks: `Docs/Protocol/Sync.md` section 4.
extension ClockRow {
    private static let stateBits: UInt8 = 0x0f
    private static let firstBit: UInt8 = 0x80
    private static let wholeBit: UInt8 = 0x40
    private static let shownBit: UInt8 = 0x20

    func write(to writer: inout WireWriter) {
        let first = (2...max(2, self.seq)).contains(self.first) ? self.first : nil
        let whole = self.whole.flatMap { $0 < self.seq ? $0 : nil }
        let shown = self.shown.flatMap { $0 < self.seq ? $0 : nil }
        writer.u64(self.tag)
        writer.byte(
            self.state.rawValue | (first == nil ? 0 : Self.firstBit)
                | (whole == nil ? 0 : Self.wholeBit) | (shown == nil ? 0 : Self.shownBit))
        writer.varint(self.seq)
        if self.seq > 0 { writer.u64(self.headTag) }
        for value in [first, whole, shown] {
            if let value { writer.varint(value) }
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.u64("clock tag")
        let bits = try reader.byte("clock state")
        let known = Self.stateBits | Self.firstBit | Self.wholeBit | Self.shownBit
        guard bits & ~known == 0, let state = State(rawValue: bits & Self.stateBits) else {
            throw .value(field: "clock state")
        }
        let seq = try reader.varint("clock seq")
        guard seq <= UInt64(Int64.max) else { throw .value(field: "clock seq") }
        let headTag = seq > 0 ? try reader.u64("clock head tag") : 0
        self.init(tag: tag, state: state, seq: seq, headTag: headTag)
        if bits & Self.firstBit != 0 {
            self.first = try reader.varint("clock first")
            guard self.first >= 2, self.first <= seq else { throw .value(field: "clock first") }
        }
        if bits & Self.wholeBit != 0 { self.whole = try Self.below(seq, &reader, "clock whole") }
        if bits & Self.shownBit != 0 { self.shown = try Self.below(seq, &reader, "clock shown") }
    }

    private static func below(
        _ seq: UInt64, _ reader: inout WireReader, _ field: StaticName
    ) throws(WireError) -> UInt64 {
        let value = try reader.varint(field)
        guard value < seq else { throw .value(field: field) }
        return value
    }

    static func write(_ rows: [ClockRow], to writer: inout WireWriter) {
        writer.varint(rows.count)
        for row in rows { row.write(to: &writer) }
    }

    static func rows(
        from reader: inout WireReader, atLeast least: Int
    ) throws(WireError) -> [ClockRow] {
        let count = try reader.count("clock count", limit: Limits.logsPerConversation)
        guard count >= least else { throw .value(field: "clock count") }
        var rows: [ClockRow] = []
        for _ in 0..<count {
            let row = try ClockRow(from: &reader)
            if let last = rows.last, row.tag <= last.tag { throw .order(field: "clock rows") }
            rows.append(row)
        }
        return rows
    }
}

extension ClockPage {
    static func write(_ pages: [ClockPage], to writer: inout WireWriter) {
        writer.varint(pages.count)
        for page in pages {
            writer.byte(page.bucket)
            ClockRow.write(page.rows, to: &writer)
        }
    }

    static func pages(from reader: inout WireReader) throws(WireError) -> [ClockPage] {
        let count = try reader.count("clock pages", limit: LogBucket.count)
        guard count > 0 else { throw .value(field: "clock pages") }
        var pages: [ClockPage] = []
        for _ in 0..<count {
            let bucket = try reader.byte("clock bucket")
            if let last = pages.last, bucket <= last.bucket { throw .order(field: "clock pages") }
            let rows = try ClockRow.rows(from: &reader, atLeast: 0)
            pages.append(ClockPage(bucket: bucket, rows: rows))
        }
        return pages
    }
}

extension RecordRow {
    /// Which record a row is about: there is one row for each.
    package struct Name: Hashable, Comparable {
        package let tag: UInt64
        package let scope: UInt8
        package let kind: UInt8

        package init(tag: UInt64, scope: UInt8, kind: UInt8) {
            self.tag = tag
            self.scope = scope
            self.kind = kind
        }

        package static func < (left: Name, right: Name) -> Bool {
            (left.tag, left.scope, left.kind) < (right.tag, right.scope, right.kind)
        }
    }

    package var name: Name { Name(tag: self.tag, scope: self.scope, kind: self.kind) }

    func write(to writer: inout WireWriter) {
        writer.u64(self.tag)
        writer.byte(self.scope)
        writer.byte(self.kind)
        writer.u64(self.time.rawValue)
        writer.u64(self.recordTag)
    }

    static func rows(from reader: inout WireReader) throws(WireError) -> [RecordRow] {
        let count = try reader.count("recordClock count", limit: Limits.recordRows)
        var rows: [RecordRow] = []
        for _ in 0..<count {
            let tag = try reader.u64("recordClock tag")
            let scope = try reader.byte("recordClock scope")
            guard scope <= 1 else { throw .value(field: "recordClock scope") }
            let kind = try reader.byte("recordClock kind")
            let time = HybridTime(try reader.u64("recordClock hlc"))
            let recordTag = try reader.u64("recordClock record tag")
            let row = RecordRow(
                tag: tag, scope: scope, kind: kind, time: time, recordTag: recordTag)
            if let last = rows.last, row.name <= last.name {
                throw .order(field: "recordClock rows")
            }
            rows.append(row)
        }
        return rows
    }
}
