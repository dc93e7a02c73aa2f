/// Statements on conversations, authors, logs and fork proofs.
final class NameStatements: StatementGroup {
    lazy var conversation = self.sql("SELECT id FROM conversations WHERE hash = :hash")
    lazy var addConversation = self.sql(
        "INSERT INTO conversations (hash) VALUES (:hash) RETURNING id")
    lazy var author = self.sql("SELECT id FROM authors WHERE key = :key")
    lazy var addAuthor = self.sql("INSERT INTO authors (key) VALUES (:key) RETURNING id")
    lazy var person = self.sql("SELECT id FROM persons WHERE hash = :hash")
    lazy var personAt = self.sql("SELECT hash FROM persons WHERE id = :id")
    lazy var addPerson = self.sql(
        "INSERT INTO persons (hash, keys) VALUES (:hash, :keys) RETURNING id")
    lazy var log = self.sql(
        """
        SELECT id, seq, head, hlc, shown, fork, person, bytes FROM logs
        WHERE conversation = :conversation AND author = :author AND incarnation = :incarnation
        """)
    lazy var addLog = self.sql(
        """
        INSERT INTO logs (conversation, author, incarnation, seq, head, hlc, shown)
        VALUES (:conversation, :author, :incarnation, 0, zeroblob(32), :hlc, 0) RETURNING id
        """)
    lazy var updateLog = self.sql(
        """
        UPDATE logs SET seq = :seq, head = :head, hlc = :hlc, shown = :shown,
            bytes = bytes + :bytes
        WHERE id = :id
        """)
    // Apart, since SQLite looks the person up again wherever a statement names the column.
    lazy var setPerson = self.sql("UPDATE logs SET person = :person WHERE id = :id")
    lazy var personIn = self.sql("SELECT person FROM logs WHERE id = :id")
    lazy var deviceOf = self.sql(
        "SELECT a.key FROM logs l CROSS JOIN authors a ON a.id = l.author WHERE l.id = :id")
    lazy var addLogBytes = self.sql("UPDATE logs SET bytes = bytes + :bytes WHERE id = :id")
    lazy var logBytes = self.sql(
        """
        SELECT c.hash, a.key, l.incarnation, l.bytes FROM logs l
        JOIN conversations c ON c.id = l.conversation JOIN authors a ON a.id = l.author
        WHERE l.id = :id
        """)
    lazy var setSource = self.sql("UPDATE logs SET source = :source WHERE id = :id")
    lazy var markLog = self.sql("UPDATE logs SET marks = :flags WHERE id = :id")
    lazy var removeLog = self.sql("DELETE FROM logs WHERE id = :id")
    lazy var removeProof = self.sql("DELETE FROM forks WHERE log = :id")
    lazy var removeLogPositions = self.sql("DELETE FROM positions WHERE log = :id")
    lazy var removePerson = self.sql(
        """
        DELETE FROM persons WHERE id = :id AND NOT EXISTS (SELECT 1 FROM logs WHERE person = :id)
        """)
    lazy var showHead = self.sql("UPDATE logs SET shown = 1 WHERE id = :id AND seq = :seq")
    lazy var setFork = self.sql("UPDATE logs SET fork = :fork WHERE id = :id")
    lazy var proofLength = self.sql("SELECT length(proof) FROM forks WHERE log = :log")
    lazy var replaceProof = self.sql(
        "INSERT OR REPLACE INTO forks (log, proof) VALUES (:log, :proof)")
    lazy var proof = self.sql(
        """
        SELECT f.proof FROM conversations c JOIN authors a
        JOIN logs l ON l.conversation = c.id AND l.author = a.id AND l.incarnation = :incarnation
        JOIN forks f ON f.log = l.id WHERE c.hash = :hash AND a.key = :key
        """)
    lazy var logsOfAuthor = self.sql(
        "SELECT id FROM logs WHERE conversation = :conversation AND author = :author")
}
