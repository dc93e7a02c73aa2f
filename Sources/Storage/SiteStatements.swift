internal import Formats

/// Statements that read what goes to other sites.
final class SiteStatements: StatementGroup {
    lazy var newest = self.sql("SELECT max(arrival) AS arrival FROM entries")
    /// The ends of runs, in the order in which they came.
    lazy var attested = self.sql(
        """
        SELECT e.arrival, e.seq, l.incarnation, a.key, c.hash
        FROM entries e CROSS JOIN logs l ON l.id = e.log CROSS JOIN authors a ON a.id = l.author
            CROSS JOIN conversations c ON c.id = e.conversation
        WHERE e.arrival > :since AND e.attestation IS NOT NULL ORDER BY e.arrival LIMIT :limit
        """)
    /// Whether payloads between two entries are missing here that nobody has deleted.
    lazy var lacking = self.sql(
        """
        SELECT 1 FROM entries WHERE log = :log AND seq >= :first AND seq < :before
            AND flags & \(EntryFlags([.wanted, .expired]).rawValue) LIMIT 1
        """)
    lazy var lastOfNext = self.sql(
        """
        SELECT max(arrival) AS arrival FROM
            (SELECT arrival FROM entries WHERE arrival > :since ORDER BY arrival LIMIT :limit)
        """)
    /// Own files, and what deletes messages, by one of these devices: others can delete none of these.
    lazy var files = self.sql(
        """
        SELECT e.arrival, e.seq, l.incarnation, a.key, c.hash, t.blob, t.size
        FROM entries e LEFT JOIN attachments t ON t.log = e.log AND t.seq = e.seq
            CROSS JOIN logs l ON l.id = e.log CROSS JOIN authors a ON a.id = l.author
            CROSS JOIN conversations c ON c.id = e.conversation
        WHERE e.arrival > :since AND e.arrival <= :through
            AND ((e.kind = \(EntryKind.erase.rawValue) AND instr(:devices, a.key) > 0)
                OR (t.blob IS NOT NULL AND a.key = :owner))
        ORDER BY e.arrival
        """)
    /// Logs of an author.
    lazy var logs = self.sql(
        """
        SELECT l.incarnation, c.hash FROM authors a CROSS JOIN logs l ON l.author = a.id
            CROSS JOIN conversations c ON c.id = l.conversation
        WHERE a.key = :key AND l.seq > 0 LIMIT 16
        """)
    /// The ends of runs of a log.
    lazy var ends = self.sql(
        """
        SELECT seq FROM entries WHERE log = :log AND seq >= :first AND seq <= :last
            AND attestation IS NOT NULL ORDER BY seq LIMIT :limit
        """)
    lazy var attestedBefore = self.sql(
        """
        SELECT seq FROM entries WHERE log = :log AND seq < :seq AND attestation IS NOT NULL
        ORDER BY seq DESC LIMIT 1
        """)
    /// An entry that has deleted one, of those who may.
    lazy var eraser = self.sql(
        """
        SELECT r.seq, l.incarnation, a.key FROM erasures r
            CROSS JOIN entries e ON e.log = r.log AND e.seq = r.seq
            CROSS JOIN logs l ON l.id = r.log CROSS JOIN authors a ON a.id = l.author
        WHERE r.place = :place AND r.target = :target AND r.prefix = :prefix
            AND r.person = :person AND e.flags & \(EntryFlags.disputed.rawValue) = 0
        LIMIT 1
        """)
}
