/// Statements on the files that entries tell of.
final class FileStatements: StatementGroup {
    lazy var attach = self.sql(
        """
        INSERT INTO attachments (blob, conversation, log, seq, size)
        VALUES (:blob, :conversation, :log, :seq, :size)
        """)
    lazy var detach = self.sql(
        "DELETE FROM attachments WHERE log = :log AND seq = :seq RETURNING blob")
    lazy var withdrawn = self.sql(
        """
        SELECT hash FROM conversations c WHERE c.id = :conversation AND NOT EXISTS
            (SELECT 1 FROM attachments WHERE blob = :blob AND conversation = c.id)
        """)
    lazy var isAttached = self.sql("SELECT 1 FROM attachments WHERE blob = :blob LIMIT 1")
    // Any number of entries may tell of one file: of a conversation one is enough.
    lazy var sizeIn = self.sql(
        """
        SELECT a.size FROM conversations c CROSS JOIN attachments a
            ON a.blob = :blob AND a.conversation = c.id
        WHERE c.hash = :hash LIMIT 1
        """)
    lazy var firstAttaching = self.sql(
        """
        SELECT e.arrival FROM attachments a JOIN entries e ON e.log = a.log AND e.seq = a.seq
        WHERE a.blob = :blob AND e.arrival > 0 ORDER BY e.arrival LIMIT 1
        """)
    lazy var attachments = self.sql(
        """
        SELECT c.hash, (SELECT size FROM attachments
            WHERE blob = :blob AND conversation = c.id LIMIT 1) AS size
        FROM conversations c WHERE EXISTS
            (SELECT 1 FROM attachments WHERE blob = :blob AND conversation = c.id)
        """)
}
