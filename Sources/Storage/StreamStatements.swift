internal import Engine
internal import Formats

/// Statements on what durable streams have brought.
final class StreamStatements: StatementGroup {
    /// What streams have brought and no durable consumer still waits for, the oldest first.
    lazy var aged = self.sql(
        """
        \(EntryStatements.aged("entries_of_streams", EntryFlags.isOfStreamSQL))
            AND e.arrival > 0 AND e.arrival <= :until
            AND e.arrival <= (SELECT coalesce(min(cursor), \(Int64.max)) FROM consumers
                WHERE conversation IN (0, :conversation))
        ORDER BY hlc, arrival LIMIT :limit
        """)
    lazy var isLeft = self.sql(
        """
        SELECT 1 FROM entries INDEXED BY entries_of_streams
        WHERE conversation = :conversation AND \(EntryFlags.isOfStreamSQL) LIMIT 1
        """)
}
