internal import Crypto

/// The columns of a statement, by name: the SQL is written from the same list that rows are read
/// with, so that the two cannot drift apart, and a name costs what its number costs.
protocol ColumnList: CaseIterable, RawRepresentable where RawValue == Int32 {
    /// What stands for the column in SQL.
    var sql: String { get }
}

extension ColumnList {
    /// All columns, in order.
    static var sql: String { self.allCases.map(\.sql).joined(separator: ", ") }
    /// As many parameters, in the same order.
    static var parameters: String {
        self.allCases.map { "?\($0.rawValue + 1)" }.joined(separator: ", ")
    }
    /// The number of the parameter for a column, from 1.
    var parameter: Int32 { self.rawValue + 1 }
}

/// The columns of `entries`, as a new row is written.
enum EntryColumn: Int32, ColumnList {
    case arrival, log, seq, conversation, hlc, kind, flags, prefix, suffix, attestation, extra
    case payload

    var sql: String { "\(self)" }
}

/// What the store reads of an entry `e` of a log `l` to place it.
enum PlaceColumn: Int32, ColumnList {
    case arrival, log, seq, conversation, hlc, kind, flags, author, incarnation, prefix, suffix

    var sql: String {
        switch self {
        case .author, .incarnation: "l.\(self)"
        default: "e.\(self)"
        }
    }
}

/// What people and scripts are given of an entry `e` of a log `l` by an author `a` in a conversation
/// `c`.
enum StoredColumn: Int32, ColumnList {
    case arrival, conversation, author, incarnation, seq, prefix, suffix, kind, hlc, payload, flags
    /// The conversation's row.
    case place

    var sql: String {
        switch self {
        case .conversation: "c.hash"
        case .author: "a.key"
        case .incarnation: "l.incarnation"
        case .place: "e.conversation"
        default: "e.\(self)"
        }
    }
}

/// The columns of `logs` that an append changes; the row's number is the last parameter.
enum LogColumn: Int32, ColumnList {
    case seq, head, hlc, shown, last

    var sql: String { "\(self)" }
    /// The number of the parameter for the row.
    static let id: Int32 = 6
}

extension Statement {
    @inline(__always)
    func int(_ column: some ColumnList) -> Int64 { self.int(column.rawValue) }

    @inline(__always)
    func bytes(_ column: some ColumnList) -> [UInt8] { self.bytes(column.rawValue) }

    @inline(__always)
    func optionalBytes(_ column: some ColumnList) -> [UInt8]? {
        self.optionalBytes(column.rawValue)
    }

    @inline(__always)
    func bytes32(_ column: some ColumnList) throws(SQLiteError) -> Bytes32 {
        try self.bytes32(column.rawValue)
    }
}
