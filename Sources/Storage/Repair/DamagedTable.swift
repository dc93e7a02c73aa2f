internal import CSQLite

/// Reads rows around what cannot be read.
///
/// A damaged page fails every row that SQLite reads through it, and no other. So a table is read in
/// the order of its row numbers up to a failure, the next number from which it can be read is
/// searched for, and reading goes on there.
struct DamagedTable {
    private let database: Database
    private let table: String
    /// How many times reading failed.
    private(set) var gaps = 0

    /// Names a table with row numbers.
    init(_ table: String, in database: Database) {
        self.table = table
        self.database = database
    }

    /// Gives each row that can be read; the columns stand behind the row's number.
    mutating func read(
        _ columns: String, _ body: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let rows: Statement
        do throws(SQLiteError) {
            rows = try self.database.prepare(
                "SELECT rowid AS row, \(columns) FROM \(self.table) NOT INDEXED "
                    + "WHERE rowid >= :first ORDER BY rowid")
        } catch { return self.gaps += 1 }
        var next: Int64? = .min
        while let first = next {
            var reached = first
            do throws(SQLiteError) {
                try rows.bind(.first, first)
                defer { rows.reset() }
                while try rows.step() {
                    reached = rows.int(.row)
                    try body(rows)
                    guard reached < .max else { return }
                    reached += 1
                }
                return
            } catch {
                guard error.isDamage else { throw error }
                self.gaps += 1
                next = try self.readable(from: reached)
            }
        }
    }

    /// The first row number, behind one that fails, from which rows can be read; nil for none.
    private func readable(from first: Int64) throws(SQLiteError) -> Int64? {
        // Only this row's own pages may be damaged.
        if case .row(let number) = try self.probe(first) {
            return number < .max ? number + 1 : nil
        }
        var bad = first
        var good: Int64?
        var step: Int64 = 1
        while good == nil, bad < .max {
            let (sum, isOver) = bad.addingReportingOverflow(step)
            let place = isOver ? .max : sum
            if case .damaged = try self.probe(place) { bad = place } else { good = place }
            step = step > .max / 2 ? .max : step * 2
        }
        guard var good else { return nil }
        while UInt64(bitPattern: good &- bad) > 1 {
            let middle = bad &+ Int64(bitPattern: UInt64(bitPattern: good &- bad) / 2)
            if case .damaged = try self.probe(middle) { bad = middle } else { good = middle }
        }
        return good
    }

    private enum Probe {
        case row(Int64)
        case end
        case damaged
    }

    private func probe(_ number: Int64) throws(SQLiteError) -> Probe {
        do throws(SQLiteError) {
            let statement = try self.database.prepare(
                "SELECT rowid FROM \(self.table) NOT INDEXED WHERE rowid >= :first "
                    + "ORDER BY rowid LIMIT 1")
            return try statement.bind(.first, number).int().map { .row($0) } ?? .end
        } catch {
            guard error.isDamage else { throw error }
            return .damaged
        }
    }

    /// Gives the rows of a query up to a failure from either end.
    ///
    /// `order` are the columns that order it. What both ends reach is given twice.
    mutating func readFromBothEnds(
        _ query: String, orderedBy order: [String],
        _ body: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        for direction in ["ASC", "DESC"] {
            let columns = order.map { "\($0) \(direction)" }.joined(separator: ", ")
            do throws(SQLiteError) {
                try self.database.prepare("\(query) ORDER BY \(columns)").forEach(body)
                return
            } catch {
                // Without the schema there is no such table.
                guard error.isDamage || error.code == SQLITE_ERROR else { throw error }
                self.gaps += 1
            }
        }
    }
}
