internal import Engine

/// Statements on what entries say of messages.
final class ReferenceStatements: StatementGroup {
    lazy var add = self.sql(
        """
        INSERT OR IGNORE INTO refs (conversation, target, kind, log, seq, held)
        VALUES (:conversation, :target, :kind, :log, :seq, :held)
        """)
    lazy var remove = self.sql("DELETE FROM refs WHERE log = :log AND seq = :seq")
    lazy var hold = self.sql(
        "UPDATE refs SET held = 1 WHERE conversation = :conversation AND target = :target")
    lazy var count = self.sql(
        "SELECT count(*) FROM refs WHERE conversation = :conversation AND target = :target")
    lazy var counting = self.sql(
        """
        SELECT count(*) FROM refs
        WHERE conversation = :conversation AND target = :target AND held = 0
        """)
    lazy var noted = self.sql("SELECT target, kind FROM refs WHERE log = :log AND seq = :seq")
    lazy var countOfLog = self.sql(
        """
        SELECT count(*) FROM refs WHERE conversation = :conversation AND target = :target
            AND kind = :kind AND log = :log
        """)
    lazy var removeFirst = self.sql(
        """
        DELETE FROM refs WHERE conversation = :conversation AND target = :target
            AND kind = :kind AND log = :log AND seq = (SELECT min(seq) FROM refs
                WHERE conversation = :conversation AND target = :target AND kind = :kind
                    AND log = :log)
        """)
    lazy var countHeld = self.sql(
        "SELECT count(*) FROM refs INDEXED BY refs_held WHERE held = 1")
    lazy var held = self.sql(
        """
        SELECT kind, log, seq FROM refs
        WHERE conversation = :conversation AND target = :target AND held = 1
        """)
    lazy var release = self.sql("UPDATE refs SET held = 0 WHERE log = :log AND seq = :seq")
    lazy var edits = self.sql(
        """
        SELECT log, seq FROM refs
        WHERE conversation = :conversation AND target = :target AND kind = \(Reference.Kind.edit.rawValue)
        """)
    lazy var isKnown = self.sql(
        """
        SELECT 1 FROM people WHERE author = :author
            AND standing IN (\(Standing.known.rawValue), \(Standing.verified.rawValue))
        """)
    lazy var authorship = self.sql(
        """
        SELECT a.key, p.hash FROM logs l CROSS JOIN authors a ON a.id = l.author
        LEFT JOIN persons p ON p.id = l.person WHERE l.id = :log
        """)

    lazy var shown = self.sql(
        """
        SELECT e.arrival, e.log, e.seq, e.prefix, e.suffix, e.class, e.hlc, e.extra, e.payload,
            e.flags, r.kind
        FROM refs r CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
        WHERE r.conversation = :conversation AND r.target = :target AND r.held = 0
            AND e.arrival > 0 AND e.flags & \(EntryFlags.unseen.rawValue) = 0
        """)
    /// Whose log it is, unless the user has blocked them.
    lazy var logName = self.sql(
        """
        SELECT a.key, l.incarnation FROM logs l CROSS JOIN authors a ON a.id = l.author
        WHERE l.id = :log AND \(EffectStatements.isWantedSQL)
        """)
}
