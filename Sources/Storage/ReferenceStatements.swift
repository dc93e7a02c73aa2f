internal import Engine
internal import Formats

/// Statements on what entries say of messages, and on what they want erased.
final class ReferenceStatements: StatementGroup {
    /// The entries that name the one at a place with an id.
    private static let isNamed = "place = :place AND target = :target AND prefix = :prefix"

    lazy var add = self.sql(
        """
        INSERT INTO refs (place, target, prefix, kind, person, hlc, id, log, seq)
        VALUES (:place, :target, :prefix, :kind, :person, :hlc, :id, :log, :seq)
        """)
    lazy var remove = self.sql("DELETE FROM refs WHERE log = :log AND seq = :seq")
    lazy var noted = self.sql(
        """
        SELECT place, target, prefix, kind, person, hlc, id FROM refs
        WHERE log = :log AND seq = :seq
        """)
    lazy var any = self.sql(
        "SELECT EXISTS (SELECT 1 FROM refs) OR EXISTS (SELECT 1 FROM erasures)")
    lazy var isReferenced = self.sql("SELECT 1 FROM refs WHERE \(Self.isNamed) LIMIT 1")
    lazy var firstReferenced = self.sql(Self.first("refs"))
    lazy var firstErased = self.sql(Self.first("erasures"))

    /// The number of the first entry of a part of a log that others name.
    private static func first(_ table: String) -> String {
        """
        SELECT target FROM \(table)
        WHERE place = :place AND target >= :first AND target <= :last ORDER BY target LIMIT 1
        """
    }

    lazy var edits = self.sql(
        """
        SELECT log, seq FROM refs WHERE \(Self.isNamed)
            AND kind = \(Reference.Kind.edit.rawValue) AND person = :person
        """)

    /// As many of them as a deletion names beside the message, the latest first.
    lazy var latestEdits = self.sql(
        """
        SELECT log, seq, hlc FROM refs WHERE \(Self.isNamed)
            AND kind = \(Reference.Kind.edit.rawValue) AND person = :person
        ORDER BY hlc DESC, id DESC LIMIT \(Limits.ownEraseTargets - 1)
        """)

    // MARK: Erasing

    lazy var addErasure = self.sql(
        """
        INSERT OR IGNORE INTO erasures (place, target, prefix, person, log, seq)
        VALUES (:place, :target, :prefix, :person, :log, :seq)
        """)
    lazy var isErased = self.sql(
        """
        SELECT 1 FROM erasures r CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
        WHERE r.place = :place AND r.target = :target AND r.prefix = :prefix
            AND r.person = :person AND e.flags & \(EntryFlags.disputed.rawValue) = 0
        LIMIT 1
        """)
    lazy var removeErasures = self.sql(
        "DELETE FROM erasures WHERE log = :log AND seq >= :first")
    lazy var erasures = self.sql(
        "SELECT place, target, prefix, person FROM erasures WHERE log = :log AND seq = :seq")

    // MARK: Reading

    private static let columns =
        """
        SELECT e.arrival, e.log, e.seq, e.prefix, e.suffix, e.class, e.hlc, e.extra, e.payload,
            e.flags, r.kind, r.person, r.target, r.prefix AS number
        """

    /// What is said of the messages of a log from one on, or back from it.
    ///
    /// Each row is given, so that no step passes over many.
    private func walk(_ comparison: String, _ order: String) -> [Statement] {
        (0..<ReferenceWalk.limit).map { _ in
            self.sql(
                """
                \(Self.columns)
                FROM refs r CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
                WHERE r.place = :place AND (r.target, r.prefix) \(comparison) (:target, :prefix)
                ORDER BY r.target \(order), r.prefix \(order)
                """)
        }
    }

    private lazy var forwardWalks = self.walk(">=", "ASC")
    private lazy var backwardWalks = self.walk("<=", "DESC")

    func walks(isForward: Bool) -> [Statement] {
        isForward ? self.forwardWalks : self.backwardWalks
    }

    /// The latest that are said of one message, of a kind, and for edits by devices of one person.
    lazy var latest = self.sql(
        """
        \(Self.columns)
        FROM refs r CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
        WHERE r.place = :place AND r.target = :target AND r.prefix = :prefix
            AND r.kind = :kind AND r.person = :person
        ORDER BY r.hlc DESC, r.id DESC LIMIT \(Limits.references)
        """)
    /// The latest that the user and those whom they know make of one message, where many say something.
    lazy var latestOfKnown = self.sql(
        """
        \(Self.columns)
        FROM logs l CROSS JOIN refs r INDEXED BY refs_by_log ON r.log = l.id
        CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
        WHERE l.conversation = :conversation AND (l.author = :owner
                OR l.person = (SELECT max(person) FROM logs WHERE author = :owner)
                OR EXISTS (SELECT 1 FROM people p WHERE p.author = l.author AND p.standing
                    IN (\(Standing.known.rawValue), \(Standing.verified.rawValue))))
            AND r.place = :place AND r.target = :target AND r.prefix = :prefix
            AND r.kind = \(Reference.Kind.reaction.rawValue)
        ORDER BY r.hlc DESC, r.id DESC LIMIT \(Limits.references)
        """)

    /// Whose log it is, unless the user has blocked them.
    lazy var logName = self.sql(
        """
        SELECT a.key, l.incarnation FROM logs l CROSS JOIN authors a ON a.id = l.author
        WHERE l.id = :log AND \(EffectStatements.isWantedSQL)
        """)
}
