internal import Engine

/// Statements on what entries say of messages.
final class ReferenceStatements: StatementGroup {
    lazy var add = self.sql(
        """
        INSERT OR IGNORE INTO refs (place, target, kind, log, seq)
        VALUES (:place, :target, :kind, :log, :seq)
        """)
    lazy var remove = self.sql("DELETE FROM refs WHERE log = :log AND seq = :seq")
    lazy var hold = self.sql(
        """
        UPDATE refs SET place = -:conversation, target = :waiting
        WHERE place = :place AND target = :target
        """)
    lazy var count = self.sql(
        "SELECT count(*) FROM refs WHERE place = :place AND target = :target")
    lazy var countEdits = self.sql(
        """
        SELECT count(*) FROM refs
        WHERE place = :place AND target = :target AND kind = \(Reference.Kind.edit.rawValue)
        """)
    lazy var countOthers = self.sql(
        """
        SELECT count(*) FROM refs
        WHERE place = :place AND target = :target AND kind <> \(Reference.Kind.edit.rawValue)
        """)
    lazy var noted = self.sql(
        "SELECT place, target, kind FROM refs WHERE log = :log AND seq = :seq")
    lazy var countOfLog = self.sql(
        """
        SELECT count(*) FROM refs
        WHERE place = :place AND target = :target AND kind = :kind AND log = :log
        """)
    lazy var removeFirst = self.sql(
        """
        DELETE FROM refs WHERE place = :place AND target = :target
            AND kind = :kind AND log = :log AND seq = (SELECT min(seq) FROM refs
                WHERE place = :place AND target = :target AND kind = :kind AND log = :log)
        """)
    lazy var anyHeld = self.sql("SELECT 1 FROM refs WHERE place < 0 LIMIT 1")
    lazy var held = self.sql(
        "SELECT kind, log, seq FROM refs WHERE place = :place AND target = :target")
    lazy var release = self.sql(
        """
        UPDATE refs SET place = :place, target = :target WHERE log = :log AND seq = :seq
        """)
    lazy var edits = self.sql(
        """
        SELECT log, seq FROM refs
        WHERE place = :place AND target = :target AND kind = \(Reference.Kind.edit.rawValue)
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

    /// What is said of the messages of a log from one on, or back from it.
    ///
    /// Each row is given, so that no step passes over many.
    private func walk(_ comparison: String, _ order: String) -> [Statement] {
        (0..<ReferenceWalk.limit).map { _ in
            self.sql(
                """
                SELECT e.arrival, e.log, e.seq, e.prefix, e.suffix, e.class, e.hlc, e.extra,
                    e.payload, e.flags, r.kind, r.target
                FROM refs r CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
                WHERE r.place = :place AND r.target \(comparison) :target
                ORDER BY r.target \(order)
                """)
        }
    }

    private lazy var forwardWalks = self.walk(">=", "ASC")
    private lazy var backwardWalks = self.walk("<=", "DESC")

    /// Statements for one walk.
    func walks(isForward: Bool) -> [Statement] {
        isForward ? self.forwardWalks : self.backwardWalks
    }

    /// Whose log it is, unless the user has blocked them.
    lazy var logName = self.sql(
        """
        SELECT a.key, l.incarnation FROM logs l CROSS JOIN authors a ON a.id = l.author
        WHERE l.id = :log AND \(EffectStatements.isWantedSQL)
        """)
}
