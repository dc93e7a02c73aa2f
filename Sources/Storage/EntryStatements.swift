internal import Engine
internal import Formats

/// Statements that write entries, move them, and read them for peers.
final class EntryStatements: StatementGroup {
    /// What the store reads of an entry to place it.
    private static let placed =
        """
        SELECT e.arrival, e.log, e.seq, e.conversation, e.hlc, e.flags, l.author, l.incarnation,
            e.prefix, e.suffix
        FROM entries e CROSS JOIN logs l ON l.id = e.log
        """

    lazy var newestArrival = self.sql(Statements.newestSQL)
    lazy var oldestArrival = self.sql("SELECT min(arrival) FROM entries")
    lazy var insert = self.sql(
        """
        INSERT INTO entries (arrival, log, seq, conversation, hlc, class, kind, flags, prefix,
            suffix, attestation, extra, payload)
        VALUES (:arrival, :log, :seq, :conversation, :hlc, :class, :kind, :flags, :prefix,
            :suffix, :attestation, :extra, :payload)
        """)
    lazy var byPosition = self.sql("\(Self.placed) WHERE e.log = :log AND e.seq = :seq")
    lazy var byArrival = self.sql("\(Self.placed) WHERE e.arrival = :arrival")
    lazy var mark = self.sql(
        """
        UPDATE entries SET flags = flags | :flags
        WHERE log = :log AND seq >= :first AND seq < :before AND arrival > 0
        """)
    lazy var markOne = self.sql(
        "UPDATE entries SET flags = flags | :flags WHERE arrival = :arrival")
    lazy var move = self.sql("UPDATE entries SET arrival = :target WHERE arrival = :arrival")
    lazy var countHeld = self.sql(
        "SELECT count(*) FROM entries INDEXED BY entries_held WHERE arrival < 0")
    lazy var firstHeld = self.sql(
        "SELECT min(hlc) FROM entries INDEXED BY entries_held WHERE arrival < 0")
    lazy var firstHeldOfKnown = self.sql(
        """
        SELECT min(hlc) FROM entries INDEXED BY entries_held_of_known WHERE \(Self.isHeldOfKnown)
        """)
    private static let isHeldOfKnown = "arrival < 0 AND flags & \(EntryFlags.ofKnown.rawValue)"
    // By their times alone: of one moment there may be very many, and a share of them is read at once.
    lazy var dueHeld = self.sql(
        """
        SELECT arrival, length(payload) AS count FROM entries INDEXED BY entries_held
        WHERE arrival < 0 AND hlc <= :through ORDER BY hlc LIMIT :limit
        """)
    lazy var dueHeldOfKnown = self.sql(
        """
        SELECT arrival, length(payload) AS count FROM entries INDEXED BY entries_held_of_known
        WHERE \(Self.isHeldOfKnown) AND hlc <= :through ORDER BY hlc LIMIT :limit
        """)
    lazy var setOfKnown = self.sql(
        """
        UPDATE entries INDEXED BY entries_held
        SET flags = iif(:present, flags | \(EntryFlags.ofKnown.rawValue),
            flags & ~\(EntryFlags.ofKnown.rawValue))
        WHERE arrival < 0 AND log IN (SELECT id FROM logs WHERE author = :author)
        """)
    lazy var heldByLog = self.sql(
        """
        SELECT log, min(seq) AS first, max(seq) AS seq FROM entries INDEXED BY entries_held
        WHERE arrival < 0 GROUP BY log
        """)
    lazy var heldFrom = self.sql(
        """
        SELECT arrival FROM entries
        WHERE log = :log AND seq >= :first AND seq < :before AND arrival < 0
        """)
    lazy var run = self.sql(
        """
        SELECT seq, hlc, class, attestation, extra, payload FROM entries
        WHERE log = :log AND seq >= :first ORDER BY seq
        """)
    lazy var payloads = self.sql(
        """
        SELECT seq, hlc, class, flags, extra, payload, prefix, suffix FROM entries
        WHERE log = :log AND seq >= :first AND seq < :before ORDER BY seq
        """)
    lazy var last = self.sql(
        """
        SELECT seq, attestation IS NOT NULL AS present, length(payload) AS count,
            CASE WHEN class = \(EntryClass.control.rawValue) THEN 0 ELSE length(payload) END AS bytes,
            length(extra) AS size FROM entries
        WHERE log = :log ORDER BY seq DESC LIMIT :limit
        """)
    lazy var remove = self.sql("DELETE FROM entries WHERE arrival = :arrival")
    lazy var noteDropped = self.sql(
        "UPDATE state SET given = max(given, :arrival), dropped = dropped + :count")
    lazy var newestShown = self.sql(
        """
        UPDATE conversations SET shown = (SELECT max(hlc) FROM (
            SELECT max(hlc) AS hlc FROM entries INDEXED BY entries_by_time
            WHERE conversation = :id AND arrival > 0 AND \(EntryFlags.isInPlaceSQL)
                AND flags & \(EntryFlags.withheld.rawValue) = 0
            UNION ALL
            SELECT max(hlc) FROM entries INDEXED BY entries_beside
            WHERE conversation = :id AND arrival > 0 AND \(EntryFlags.isBesideSQL)
                AND flags & \(EntryFlags.withheld.rawValue) = 0))
        WHERE id = :id
        """)
    lazy var setPayload = self.sql(
        """
        UPDATE entries SET flags = :flags, kind = :kind, extra = :extra, payload = :payload
        WHERE arrival = :arrival
        """)
    lazy var header = self.sql(
        "SELECT class, extra, payload FROM entries WHERE arrival = :arrival")
    /// The oldest of a conversation, those that stand beside it too.
    lazy var aged = self.sql(
        """
        \(Self.aged("entries_by_time", EntryFlags.isInPlaceSQL))
        UNION ALL
        \(Self.aged("entries_beside", EntryFlags.isBesideSQL))
        ORDER BY hlc, arrival LIMIT :limit
        """)

    /// What is looked at of an index to find what is to expire.
    static func aged(_ index: String, _ condition: String) -> String {
        """
        SELECT e.arrival AS arrival, e.log, e.seq, e.conversation, e.hlc AS hlc, e.flags,
            l.author, l.incarnation, e.prefix, e.suffix, e.class, length(e.payload) AS count, a.key
        FROM entries e INDEXED BY \(index) CROSS JOIN logs l ON l.id = e.log
        CROSS JOIN authors a ON a.id = l.author
        WHERE e.conversation = :conversation AND e.\(condition) AND e.hlc < :through
            AND e.hlc >= :hlc
            AND (e.hlc, e.arrival) > (:hlc, :arrival)
        """
    }

    lazy var wanted = self.sql(
        """
        SELECT log, seq FROM entries INDEXED BY entries_wanted
        WHERE flags & \(EntryFlags.wanted.rawValue) ORDER BY log, seq
        """)
    lazy var countRead = self.sql(
        """
        UPDATE conversations SET unread = unread - 1, mentions = mentions - :mentions
        WHERE id = :id AND read < :arrival
        """)
    lazy var idAt = self.sql("SELECT prefix, suffix FROM entries WHERE log = :log AND seq = :seq")
}
