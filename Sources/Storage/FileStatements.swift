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
    lazy var isAttachedIn = self.sql(
        """
        SELECT 1 FROM attachments a JOIN conversations c ON c.id = a.conversation
        WHERE a.blob = :blob AND c.hash = :hash LIMIT 1
        """)
    lazy var firstAttaching = self.sql(
        """
        SELECT e.arrival FROM attachments a JOIN entries e ON e.log = a.log AND e.seq = a.seq
        WHERE a.blob = :blob AND e.arrival > 0 ORDER BY e.arrival LIMIT 1
        """)
    lazy var attachments = self.sql(
        """
        SELECT a.size, c.hash FROM attachments a JOIN conversations c ON c.id = a.conversation
        WHERE a.blob = :blob
        """)
}
