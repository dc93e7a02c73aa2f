import Engine
import Formats
import Crypto
import Storage
import Testing

@testable import Daemon

/// Holds the value, since an expectation may not change one.
private final class Follower {
    private var value: SubscriptionProgress

    init(
        conversation: ConversationID?, kinds: Set<Change.Kind> = [.message],
        after position: Cursor, newest: Cursor
    ) {
        self.value = SubscriptionProgress(
            conversation: conversation, kinds: kinds, after: position, newest: newest)
    }

    var isLive: Bool { self.value.isLive }
    var position: Cursor { self.value.position }

    func show(_ message: Message, hasRoom: Bool) -> Bool {
        self.value.show(.message(message), hasRoom: hasRoom)
    }

    func show(_ notice: Notice, _ cursor: Int64) -> Bool {
        self.value.show(.notice(Cursor(cursor), notice), hasRoom: true)
    }

    func startReading(hasRoom: Bool) -> Cursor? { self.value.startReading(hasRoom: hasRoom) }

    func read(_ arrivals: Arrivals) -> [Change] { self.value.read(arrivals, by: Keyring()) }

    func skip(to newest: Cursor) -> (from: Cursor, to: Cursor) { self.value.skip(to: newest) }
}

/// A subscriber's position against a store that grows, without any store.
@Suite struct SubscriptionProgressTests {
    private static let room = ConversationID(Bytes32.zero)
    private static let author = PeerID(Bytes32.zero)

    private func message(_ cursor: Int64, in room: ConversationID = room) -> Message {
        Message(
            cursor: Cursor(cursor), id: EntryID(Bytes32.zero), conversation: room,
            place: LogPosition(log: LogName(author: Self.author, incarnation: 1), seq: 1),
            content: .leave, time: HybridTime(1), isLate: false, isDisputed: false)
    }

    private func entries(_ cursors: ClosedRange<Int64>, hasMore: Bool) -> Arrivals {
        let entries = cursors.map {
            StoredEntry(
                cursor: Cursor($0),
                key: LogKey(
                    conversation: Self.room,
                    name: LogName(author: Self.author, incarnation: 1)),
                seq: 1, id: EntryID(Bytes32.zero), time: HybridTime(1),
                envelope: Envelope(
                    plain: [UInt8](repeating: 0, count: 17) + [3],
                    entryClass: Content.leave.entryClass, in: Self.room),
                isSeen: true, isLate: false, isDisputed: false)
        }
        return Arrivals(
            entries: entries, through: Cursor(cursors.upperBound), hasMore: hasMore)
    }

    @Test("one that starts at the newest cursor is given what is shown, once")
    func live() {
        let progress = Follower(
            conversation: nil, after: Cursor(5), newest: Cursor(5))
        #expect(progress.startReading(hasRoom: true) == nil)
        #expect(!progress.show(self.message(5), hasRoom: true))
        #expect(progress.show(self.message(6), hasRoom: true))
        #expect(!progress.show(self.message(6), hasRoom: true))
        #expect(progress.show(self.message(7), hasRoom: true))
        #expect(progress.position == Cursor(7))
    }

    @Test("one that starts in the past reads pages and then goes live")
    func catchUp() {
        let progress = Follower(
            conversation: nil, after: Cursor(0), newest: Cursor(4))
        #expect(!progress.show(self.message(5), hasRoom: true))
        #expect(progress.startReading(hasRoom: true) == Cursor(0))
        #expect(progress.startReading(hasRoom: true) == nil)
        #expect(
            progress.read(self.entries(1...3, hasMore: true)).map(\.cursor.rawValue) == [1, 2, 3])
        #expect(progress.startReading(hasRoom: true) == Cursor(3))
        #expect(
            progress.read(self.entries(4...5, hasMore: false)).map(\.cursor.rawValue) == [4, 5])
        #expect(progress.isLive)
        #expect(progress.show(self.message(6), hasRoom: true))
    }

    @Test("what is shown while the last page is read is neither lost nor given twice")
    func shownMeanwhile() {
        let progress = Follower(
            conversation: nil, after: Cursor(0), newest: Cursor(1))
        #expect(progress.startReading(hasRoom: true) == Cursor(0))
        #expect(!progress.show(self.message(2), hasRoom: true))
        #expect(!progress.show(self.message(3), hasRoom: true))
        // The page was read before 3 was written.
        #expect(progress.read(self.entries(1...2, hasMore: false)).count == 2)
        #expect(progress.startReading(hasRoom: true) == Cursor(2))
        #expect(progress.read(self.entries(3...3, hasMore: false)).count == 1)
        #expect(progress.isLive)
    }

    @Test("a page that reaches beyond what was shown goes live at once and repeats nothing")
    func pageAhead() {
        let progress = Follower(
            conversation: nil, after: Cursor(0), newest: Cursor(1))
        #expect(progress.startReading(hasRoom: true) == Cursor(0))
        #expect(!progress.show(self.message(2), hasRoom: true))
        #expect(progress.read(self.entries(1...3, hasMore: false)).count == 3)
        #expect(progress.isLive)
        #expect(!progress.show(self.message(3), hasRoom: true))
        #expect(progress.show(self.message(4), hasRoom: true))
    }

    @Test("one without room falls behind, and reads on once there is room")
    func slow() {
        let progress = Follower(
            conversation: nil, after: Cursor(1), newest: Cursor(1))
        #expect(progress.show(self.message(2), hasRoom: true))
        #expect(!progress.show(self.message(3), hasRoom: false))
        #expect(!progress.show(self.message(4), hasRoom: true))
        #expect(progress.startReading(hasRoom: false) == nil)
        #expect(progress.startReading(hasRoom: true) == Cursor(2))
        #expect(
            progress.read(self.entries(3...4, hasMore: false)).map(\.cursor.rawValue) == [3, 4])
        #expect(progress.isLive)
    }

    @Test("messages of other conversations are passed over without being given")
    func otherConversation() throws {
        let other = ConversationID(try #require(Bytes32([UInt8](repeating: 1, count: 32))))
        let progress = Follower(
            conversation: Self.room, after: Cursor(1), newest: Cursor(1))
        #expect(!progress.show(self.message(2, in: other), hasRoom: false))
        #expect(progress.position == Cursor(2))
        #expect(progress.isLive)
        #expect(progress.show(self.message(3), hasRoom: true))
    }

    @Test("what cannot be read is skipped and the gap is named")
    func gap() {
        let progress = Follower(
            conversation: nil, after: Cursor(2), newest: Cursor(9))
        #expect(progress.startReading(hasRoom: true) == Cursor(2))
        let gap = progress.skip(to: Cursor(9))
        #expect(gap == (Cursor(2), Cursor(9)))
        #expect(progress.show(self.message(10), hasRoom: true))
    }

    @Test("a page that nobody asked for is our own mistake and traps")
    func unaskedPage() async {
        await #expect(processExitsWith: .failure) {
            var progress = SubscriptionProgress(
                conversation: nil, after: Cursor(1), newest: Cursor(1))
            _ = progress.read(
                Arrivals(entries: [], through: Cursor(1), hasMore: false), by: Keyring())
        }
    }

    @Test("one that asks for messages alone is given no notice, and does not fall behind for it")
    func messagesAlone() {
        let progress = Follower(conversation: nil, after: Cursor(5), newest: Cursor(5))
        #expect(!progress.show(Notice(.cleared(.clock), at: 1), 6))
        #expect(progress.position == Cursor(6))
        #expect(progress.isLive)
    }

    @Test("notices come in one order with messages, of the kinds and conversation asked for")
    func notices() {
        let joined = Notice(.joined(Self.room), at: 1)
        let alert = Notice(.raised(.clock, about: nil, "late"), at: 1)
        var page = self.entries(2...3, hasMore: false)
        page.notices = [
            StoredNotice(cursor: Cursor(1), notice: joined),
            StoredNotice(cursor: Cursor(4), notice: alert),
        ]
        page.through = Cursor(4)
        let all = Follower(
            conversation: nil, kinds: Set(Change.Kind.allCases), after: Cursor(0), newest: Cursor(4)
        )
        _ = all.startReading(hasRoom: true)
        #expect(all.read(page).map(\.cursor.rawValue) == [1, 2, 3, 4])
        #expect(all.show(alert, 5))

        let one = Follower(
            conversation: Self.room, kinds: [.conversation, .alert], after: Cursor(0),
            newest: Cursor(4))
        _ = one.startReading(hasRoom: true)
        #expect(one.read(page) == [.notice(Cursor(1), joined)])
        #expect(!one.show(alert, 5))
        #expect(one.show(joined, 6))
    }
}
