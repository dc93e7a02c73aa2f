internal import Engine
internal import Formats

/// The statements of the store, each made when it is first used.
struct Statements {
    let names: NameStatements
    let entries: EntryStatements
    let ids: IDStatements
    let effects: EffectStatements
    let values: ValueStatements
    let reading: ReadingStatements
    let references: ReferenceStatements
    let files: FileStatements
    let streams: StreamStatements
    let groups: GroupStatements
    let sites: SiteStatements

    /// How far arrivals have come, held ones counted too; grows with every entry that is appended,
    /// and with every notice.
    static let markSQL =
        """
        SELECT (\(newestSQL)) - min(coalesce((SELECT min(arrival) FROM entries), 0), 0)
        """

    /// The greatest arrival number that was ever given; 0 where none was.
    static let newestSQL =
        """
        SELECT max(coalesce((SELECT max(arrival) FROM entries), 0),
            coalesce((SELECT max(arrival) FROM notices), 0),
            coalesce((SELECT given FROM state), 0), 0)
        """

    init(_ database: Database) {
        self.names = NameStatements(database)
        self.entries = EntryStatements(database)
        self.ids = IDStatements(database)
        self.effects = EffectStatements(database)
        self.values = ValueStatements(database)
        self.reading = ReadingStatements(database)
        self.references = ReferenceStatements(database)
        self.files = FileStatements(database)
        self.streams = StreamStatements(database)
        self.groups = GroupStatements(database)
        self.sites = SiteStatements(database)
    }
}

/// Statements on one subject.
class StatementGroup {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func sql(_ text: String) -> Statement { self.database.statement(text) }
}

/// Statements on the way from ids to entries.
final class IDStatements: StatementGroup {
    lazy var locate = self.sql(
        """
        SELECT i.arrival FROM ids i CROSS JOIN entries e ON e.arrival = i.arrival
        WHERE i.prefix = :prefix AND e.suffix = :suffix
        """)
    lazy var between = self.sql(
        "SELECT arrival FROM ids WHERE prefix BETWEEN :first AND :last LIMIT :limit")
    lazy var locateArrival = self.sql(
        "SELECT arrival FROM entries WHERE arrival = :arrival AND suffix = :suffix")
    // What was there already when a round was cut short comes once more.
    lazy var add = self.sql(
        "INSERT OR IGNORE INTO ids (prefix, arrival) VALUES (:prefix, :arrival)")
    lazy var remove = self.sql("DELETE FROM ids WHERE prefix = :prefix AND arrival = :arrival")
    lazy var move = self.sql(
        """
        UPDATE ids SET arrival = :target
        WHERE prefix = (SELECT prefix FROM entries WHERE arrival = :target) AND arrival = :arrival
        """)
    lazy var progress = self.sql("SELECT indexed, until, prefix FROM indexing")
    lazy var setProgress = self.sql(
        "UPDATE indexing SET indexed = :indexed, until = :until, prefix = :prefix")
    lazy var recent = self.sql(
        "SELECT prefix, arrival FROM entries WHERE arrival > :arrival ORDER BY arrival")
}

/// Statements on what follows from entries: what is unread, members.
final class EffectStatements: StatementGroup {
    lazy var noteShown = self.sql(
        """
        UPDATE conversations SET shown = max(coalesce(shown, :shown), :shown),
            unread = unread + :unread, mentions = mentions + :mentions,
            latest = max(latest, :latest), bytes = bytes + :bytes
        WHERE id = :id
        """)
    lazy var member = self.sql(
        """
        SELECT present, hlc, incarnation, seq FROM members
        WHERE conversation = :conversation AND author = :author
        """)
    lazy var replaceMember = self.sql(
        """
        INSERT OR REPLACE INTO members (conversation, author, present, hlc, incarnation, seq)
        VALUES (:conversation, :author, :present, :hlc, :incarnation, :seq)
        """)
    lazy var removeMember = self.sql(
        "DELETE FROM members WHERE conversation = :conversation AND author = :author")
    lazy var latestMembership = self.sql(
        """
        SELECT arrival FROM entries INDEXED BY entries_of_members
        WHERE log = :log AND flags & \(EntryFlags.attendance.rawValue)
            AND flags & \(EntryFlags.unseen.union(.disputed).rawValue) = 0
        ORDER BY hlc DESC LIMIT 1
        """)
    lazy var readPosition = self.sql(
        "SELECT id, read, latest, unread, mentions FROM conversations WHERE hash = :hash")
    lazy var setRead = self.sql(
        """
        UPDATE conversations SET read = :read, unread = :unread, mentions = :mentions
        WHERE id = :id
        """)
    /// The logs of others of which something arrived in a range.
    lazy var logsInRange = self.sql(
        """
        SELECT DISTINCT l.id AS log, l.seq, a.key, l.incarnation FROM entries e NOT INDEXED
        CROSS JOIN logs l ON l.id = e.log JOIN authors a ON a.id = l.author
        WHERE e.arrival > :since AND e.arrival <= :through AND e.conversation = :conversation
            AND l.author <> :author
        """)
    lazy var logsOfOthers = self.sql(
        """
        SELECT l.id AS log, l.seq, a.key, l.incarnation FROM logs l
        JOIN authors a ON a.id = l.author
        WHERE l.conversation = :conversation AND l.author <> :author
        """)
    /// The first entry of a log behind one that came later, or is held.
    lazy var firstUnread = self.sql(
        """
        SELECT seq FROM entries INDEXED BY entries_by_position
        WHERE log = :log AND seq > :seq AND (arrival > :through OR arrival < 0)
        ORDER BY seq LIMIT 1
        """)
    /// What is read of a log ends before an entry that people see from here on.
    lazy var setUnread = self.sql(
        """
        UPDATE positions SET read = min(read, :seq - 1) WHERE log = :log AND author = :author
        """)
    lazy var position = self.sql(
        "SELECT stored, read FROM positions WHERE log = :log AND author = :author")
    lazy var setPosition = self.sql(
        """
        INSERT OR REPLACE INTO positions (log, author, stored, read)
        VALUES (:log, :author, :stored, :read)
        """)
    /// The messages of a log behind an entry.
    lazy var countBehind = self.sql(
        """
        SELECT count(*) AS count, min(e.hlc) AS first FROM entries e
        WHERE e.log = :log AND e.seq > :since AND e.seq <= :through
            AND \(EntryFlags.isCountedSQL)
        """)
    /// The last message of a log up to an entry.
    lazy var lastCounted = self.sql(
        """
        SELECT e.seq, e.prefix, e.suffix FROM entries e
        WHERE e.log = :log AND e.seq <= :seq AND e.seq > :since AND e.arrival > 0
            AND \(EntryFlags.isCountedSQL)
        ORDER BY e.seq DESC LIMIT 1
        """)
    lazy var countUnread = self.sql(
        """
        SELECT count(*) AS unread, \(EntryFlags.mentionsSQL) FROM entries e NOT INDEXED CROSS JOIN logs l ON l.id = e.log
        WHERE e.arrival > :since AND e.arrival <= :through AND e.conversation = :conversation
            AND \(EntryFlags.isUnreadSQL) AND l.author <> :author AND \(Self.isWantedSQL)
        """)
    /// What is unread of a conversation, in the order in which it arrived.
    lazy var unreadInOrder = self.sql(
        """
        SELECT e.arrival, e.seq, a.key, l.incarnation FROM entries e NOT INDEXED
        CROSS JOIN logs l ON l.id = e.log JOIN authors a ON a.id = l.author
        WHERE e.arrival > :since AND e.conversation = :conversation
            AND \(EntryFlags.isUnreadSQL) AND l.author <> :author AND \(Self.isWantedSQL)
        ORDER BY e.arrival
        """)
    /// Counts anew what is unread of conversations in which somebody has written.
    lazy var recountUnread = self.sql(
        """
        UPDATE conversations SET (unread, mentions) = (
            SELECT count(*), \(EntryFlags.mentionsSQL) FROM entries e CROSS JOIN logs l ON l.id = e.log
            WHERE e.conversation = conversations.id AND e.arrival > conversations.read
                AND \(EntryFlags.isUnreadSQL) AND l.author <> :owner AND \(Self.isWantedSQL))
        WHERE id IN (SELECT conversation FROM logs WHERE author = :author)
        """)

    /// The condition that the user has not blocked who has written a log `l`.
    ///
    /// Asked row by row: for `NOT IN` SQLite makes a table in memory each time the statement runs, which
    /// takes more than all else of a statement that gives one row.
    static let isWantedSQL =
        """
        NOT EXISTS (SELECT 1 FROM people
            WHERE people.author = l.author AND standing = \(Standing.blocked.rawValue))
        """
    lazy var blocked = self.sql(
        "SELECT author FROM people WHERE standing = \(Standing.blocked.rawValue)")
}

/// Statements on small values: rooms, records, peers, people, idempotency keys, consumers.
final class ValueStatements: StatementGroup {
    lazy var setIncarnation = self.sql("UPDATE state SET incarnation = :incarnation")
    lazy var setMembership = self.sql(
        """
        UPDATE conversations SET kind = :kind, realm = :realm, name = :name, suite = :suite,
            root = :root, peer = :peer, joined = :joined
        WHERE id = :id
        """)
    lazy var setArranged = self.sql(
        "UPDATE conversations SET arranged = :arranged WHERE id = :id")
    lazy var setRetention = self.sql(
        "UPDATE conversations SET days = :days, size = :size WHERE id = :id")
    lazy var addBytes = self.sql(
        "UPDATE conversations SET bytes = bytes + :bytes WHERE id = :id")
    lazy var bytes = self.sql("SELECT bytes FROM conversations WHERE id = :id")
    lazy var replaceRecord = self.sql(
        """
        INSERT OR REPLACE INTO records (author, conversation, kind, record)
        VALUES (:author, :conversation, :kind, :record)
        """)
    lazy var removeRecord = self.sql(
        """
        DELETE FROM records
        WHERE author = :author AND conversation = :conversation AND kind = :kind
        """)
    lazy var upsertPeer = self.sql(
        """
        INSERT OR REPLACE INTO peers (author, addresses, seen, keys)
        VALUES (:author, :addresses, :seen, :keys)
        """)
    lazy var replaceRequest = self.sql(
        """
        INSERT OR REPLACE INTO requests (person, peer, text, milliseconds, source, declined)
        VALUES (:person, :peer, :text, :milliseconds, :source, :declined)
        """)
    lazy var removeRequest = self.sql("DELETE FROM requests WHERE person = :person")
    lazy var removePeer = self.sql("DELETE FROM peers WHERE author = :author")
    lazy var removeRecords = self.sql("DELETE FROM records WHERE author = :author")
    lazy var removeAuthor = self.sql(
        "DELETE FROM authors WHERE id = :author AND \(Self.isUnused)")
    lazy var removeAuthors = self.sql(
        """
        DELETE FROM authors WHERE id IN
            (SELECT id FROM authors WHERE \(Self.isUnused) LIMIT :limit)
        """)

    /// That no other table names a row of `authors`: logs first, which nearly all have.
    private static let isUnused = [
        "logs WHERE author", "records WHERE author", "peers WHERE author", "people WHERE author",
        "members WHERE author", "positions WHERE author", "notices WHERE subject",
    ].map { "NOT EXISTS (SELECT 1 FROM \($0) = authors.id)" }.joined(separator: " AND ")

    lazy var addPerson = self.sql(
        "INSERT OR REPLACE INTO people (author, standing) VALUES (:author, :standing)")
    lazy var removePerson = self.sql("DELETE FROM people WHERE author = :author")
    lazy var addNotice = self.sql(
        """
        INSERT INTO notices (number, arrival, conversation, kind, subject, body)
        VALUES (:number, :arrival, :conversation, :kind, :subject, :body)
        """)
    lazy var removeNotice = self.sql(
        """
        DELETE FROM notices WHERE subject = :subject AND conversation IS :conversation
            AND kind IN (:kind, :kind + 32, :kind + 64)
        """)
    lazy var removePositions = self.sql("DELETE FROM positions WHERE author = :author")
    /// But for the newest of all, which says how many there were and how far cursors are.
    lazy var removeSubjectNotices = self.sql(
        """
        DELETE FROM notices
        WHERE subject = :subject AND number < (SELECT max(number) FROM notices)
        """)
    lazy var newestNotice = self.sql("SELECT max(number) FROM notices")
    // Some thousand rows at most of each kind and tier, so that much of one takes no place of another.
    lazy var lastNotice = self.sql(
        """
        SELECT number, arrival FROM notices WHERE \(Self.ofKind)
            ORDER BY number DESC LIMIT 1 OFFSET :limit
        """)
    lazy var pruneNotices = self.sql(
        "DELETE FROM notices WHERE number <= :number AND \(Self.ofKind)")
    lazy var removeNote = self.sql("DELETE FROM notices WHERE number = :number")

    private static let ofKind = "kind / 32 = :kind AND (:kinds >> (kind % 32)) & 1"

    lazy var addSend = self.sql(
        """
        INSERT OR IGNORE INTO sends (conversation, key, log, seq, milliseconds)
        VALUES (:conversation, :key, :log, :seq, :milliseconds)
        """)
    lazy var oldestSend = self.sql(
        "SELECT number, milliseconds FROM sends ORDER BY number LIMIT 1")
    lazy var newestSend = self.sql(
        "SELECT number, milliseconds FROM sends ORDER BY number DESC LIMIT 1")
    lazy var removeSend = self.sql("DELETE FROM sends WHERE number = :number")
    lazy var consumer = self.sql(
        "SELECT cursor FROM consumers WHERE name = :name AND conversation = :conversation")
    lazy var consumers = self.sql(
        """
        SELECT k.name, c.hash, k.cursor FROM consumers k
        LEFT JOIN conversations c ON c.id = k.conversation ORDER BY k.name, c.hash
        """)
    lazy var removeConsumer = self.sql("DELETE FROM consumers WHERE name = :name")
    lazy var acknowledge = self.sql(
        """
        INSERT INTO consumers (name, conversation, cursor) VALUES (:name, :conversation, :cursor)
        ON CONFLICT (name, conversation) DO UPDATE SET cursor = max(cursor, :cursor)
        """)
}

/// Statements that read entries for people and scripts.
final class ReadingStatements: StatementGroup {
    /// What people and scripts are given of an entry `e`; `place` is the conversation's row.
    static let columns =
        """
        e.arrival, c.hash, a.key, l.incarnation, e.log, e.seq, e.prefix, e.suffix, e.class, e.hlc,
        e.extra, e.payload, e.flags, e.conversation AS place
        """

    /// The tables that these columns come from, entries first.
    static let joined =
        """
        CROSS JOIN logs l ON l.id = e.log CROSS JOIN authors a ON a.id = l.author
        CROSS JOIN conversations c ON c.id = e.conversation
        """

    /// A conversation in the order of its times: where each entry is, to be read by ``stored``.
    ///
    /// What is of one moment is put in order by its authors, all of it in memory. There may be thousands of
    /// it, as whoever writes says when; so nothing that is long stands in these rows.
    private static let byTime =
        """
        SELECT e.arrival FROM entries e INDEXED BY entries_by_time \(joined)
        WHERE e.conversation = :conversation AND e.arrival > 0 AND e.\(EntryFlags.isInPlaceSQL)
        """

    private static let newestFirst =
        "ORDER BY e.hlc DESC, a.key DESC, l.incarnation DESC, e.seq DESC"

    lazy var stored = self.sql(
        "SELECT \(Self.columns) FROM entries e \(Self.joined) WHERE e.arrival = :arrival")
    lazy var send = self.sql(
        """
        SELECT \(Self.columns) FROM sends s
        CROSS JOIN entries e ON e.log = s.log AND e.seq = s.seq
        \(Self.joined) WHERE s.conversation = :conversation AND s.key = :name
        """)
    // Both bounds of the clock serve the index; the rest of the order only breaks ties.
    private static let isBefore =
        """
        e.hlc <= :hlc AND e.hlc >= :since
            AND (e.hlc < :hlc OR (a.key, l.incarnation, e.seq) < (:key, :incarnation, :seq))
            AND e.flags & \(EntryFlags.unlisted.rawValue) = 0
            AND \(EffectStatements.isWantedSQL)
        """
    lazy var historyBefore = self.sql(
        "\(Self.byTime) AND \(Self.isBefore) \(Self.newestFirst)")
    lazy var countBefore = self.sql(
        """
        SELECT count(*) FROM (SELECT 1 FROM entries e INDEXED BY entries_by_time \(Self.joined)
            WHERE e.conversation = :conversation AND e.arrival > 0
                AND e.\(EntryFlags.isInPlaceSQL) AND \(Self.isBefore)
            LIMIT :limit)
        """)
    lazy var historyAfter = self.sql(
        """
        \(Self.byTime) AND e.hlc >= :since AND e.hlc <= :through
            AND (e.hlc > :hlc OR (a.key, l.incarnation, e.seq) > (:key, :incarnation, :seq))
            AND e.flags & \(EntryFlags.unlisted.rawValue) = 0
            AND \(EffectStatements.isWantedSQL)
        ORDER BY e.hlc, a.key, l.incarnation, e.seq
        """)
    lazy var arrivals = self.sql(
        """
        SELECT \(Self.columns) FROM entries e \(Self.joined)
        WHERE e.arrival > max(:arrival, 0) ORDER BY e.arrival
        """)
    lazy var notices = self.sql(
        """
        SELECT n.arrival, n.kind, n.body, c.hash, n.conversation AS place FROM notices n
        LEFT JOIN conversations c ON c.id = n.conversation
        WHERE n.arrival > :arrival ORDER BY n.arrival LIMIT :limit
        """)
    lazy var shown = self.sql("SELECT id, shown FROM conversations WHERE hash = :hash")
    lazy var summaries = self.sql(
        """
        SELECT c.id, c.hash, c.unread, c.mentions, c.read, c.shown, EXISTS (
            SELECT 1 FROM entries e INDEXED BY entries_of_topics
            WHERE e.conversation = c.id AND e.kind = \(EntryKind.topic.rawValue)) AS present
        FROM conversations c ORDER BY c.hash
        """)
    lazy var usage = self.sql(
        """
        SELECT c.hash, c.bytes, (
            SELECT count(*) FROM entries e INDEXED BY entries_by_time
            WHERE e.conversation = c.id AND e.\(EntryFlags.isInPlaceSQL)
        ) + (
            SELECT count(*) FROM entries e INDEXED BY entries_beside
            WHERE e.conversation = c.id AND e.\(EntryFlags.isBesideSQL)
        ) AS count, (
            SELECT coalesce(sum(length(payload)), 0) FROM entries e
            WHERE e.conversation = c.id AND e.\(EntryFlags.isOfStreamSQL)
        ) AS size
        FROM conversations c ORDER BY c.bytes DESC, c.hash LIMIT :limit
        """)
    // Of these only the first row is read. With a LIMIT SQLite would make a table of its own for each run,
    // in which to put those of one moment in order.
    /// What a conversation is about, as was said last, and by whom: where it stands.
    lazy var topic = self.sql(
        """
        SELECT e.arrival, a.key AS author FROM entries e INDEXED BY entries_of_topics \(Self.joined)
        WHERE e.conversation = :conversation AND e.arrival > 0
            AND e.kind = \(EntryKind.topic.rawValue)
            AND e.flags & \(EntryFlags.unlisted.union(.disputed).rawValue) = 0
            AND \(EffectStatements.isWantedSQL)
        \(Self.newestFirst)
        """)
    /// The unread message with so many newer ones.
    lazy var unread = self.sql(
        """
        SELECT e.prefix, e.suffix FROM entries e INDEXED BY entries_by_time
        CROSS JOIN logs l ON l.id = e.log
        WHERE e.conversation = :conversation AND e.\(EntryFlags.isInPlaceSQL)
            AND e.arrival > :since AND \(EntryFlags.isUnreadSQL) AND l.author <> :author
            AND \(EffectStatements.isWantedSQL)
        ORDER BY e.hlc DESC LIMIT 1 OFFSET :count
        """)
    /// Where the last message stands.
    lazy var lastMessage = self.sql(
        """
        \(Self.byTime) AND e.hlc <= :through AND \(EntryFlags.isCountedSQL)
            AND \(EffectStatements.isWantedSQL)
        \(Self.newestFirst)
        """)
}
