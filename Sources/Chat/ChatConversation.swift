import ControlAPI

/// A conversation as the client knows it, and what is typed into it.
struct ChatConversation: Equatable, Sendable {
    /// What is looked at: the last row on the screen.
    struct Anchor: Equatable, Sendable {
        var id: String
        /// How many rows of that message are below it.
        var hidden = 0
    }

    /// What the daemon is being asked for.
    enum Loading: Equatable, Sendable {
        case newest, older, newer
        /// What came late, with its neighbours.
        case around
        /// What is to be looked at, with its neighbours, in place of all that is here.
        case goal(String)
    }

    /// How far the user has read it.
    struct Reading: Equatable, Sendable {
        /// The cursor that the daemon was told last.
        var acknowledged: Int64 = 0
        /// The cursor up to which the daemon counts messages as read, as far as the client knows it.
        var readThrough: Int64 = 0
        /// The cursors of loaded messages that have not been on the screen.
        var unseen: [String: Int64] = [:]
        /// The cursors of those that have been, and that the daemon still counts as unread.
        var seen: [String: Int64] = [:]
        /// Whether the user has just entered, so that it begins at the first unread message.
        var isEntered = false
        /// Whether the first unread message is older than what is loaded.
        var isSeekingUnread = false
        /// The message below the line that marks new ones.
        var firstUnread: String?
        /// How many messages have come since the user scrolled away.
        var missedBelow = 0
    }

    /// Which messages the input line is about.
    struct Aiming: Equatable, Sendable {
        /// The message that /reply, /react and the like take.
        var selected: String?
        /// What the command in the line is about.
        var aim: ChatAim?
        /// The user's own message that is being edited.
        var editing: String?
        /// The message that the next one answers.
        var replying: String?
        /// What takes something away, and is done when it is entered once more.
        var doubtful: String?
    }

    /// What has numbers: what was listed last.
    struct Found: Equatable, Sendable {
        /// The messages that a search has found, the newest first.
        var hits: [String] = []
        /// Links, the newest first.
        var links: [String] = []
    }

    /// The last own message that each member has received, and has read.
    struct Receipts: Equatable, Sendable {
        var delivered: [String: String] = [:]
        var read: [String: String] = [:]
    }

    var id = ""
    /// As it is shown, and a room as it is written.
    var name = ""
    /// The other one of two.
    var other: ShownPerson?
    var kind = ConversationResult.Kind.room
    var person: String?
    var topic = ""
    var memberCount: Int64 = 0
    var unread: Int64 = 0
    var mentions: Int64 = 0
    var isMuted = false
    var isArchived = false
    var isReachable = true

    var scrollback = Scrollback()
    /// Nil at the end, where new messages appear.
    var anchor: Anchor?
    var loading: Loading?
    /// Which messages are to be asked for once more, since they came late or have changed.
    var stale: [String] = []
    var found = Found()
    /// The message that is to be looked at, and is not here.
    var goal: String?
    var input = InputLine()
    var members: [ChatMember] = []
    var hasMembers = false
    /// Who writes here, and how they are shown.
    var typing: [String: ShownPerson] = [:]
    var reading = Reading()
    var aiming = Aiming()
    var receipts = Receipts()

    var isDirect: Bool { self.kind == .direct }
    /// Whether it asks for attention.
    var isCalling: Bool { !self.isMuted && (self.mentions > 0 || self.isDirect && self.unread > 0) }

    /// Takes over what a list of conversations says.
    mutating func update(_ listed: ConversationResult) {
        self.id = listed.id
        self.name = listed.shownName
        self.kind = listed.kind
        self.other = self.isDirect ? listed.other : nil
        self.person = listed.person
        self.topic = listed.topic.shown
        self.memberCount = listed.members
        self.unread = listed.unread
        self.mentions = listed.mentions
        self.isMuted = listed.muted == true
        self.isArchived = listed.archived == true
        self.isReachable = listed.reachable
    }

    /// Its name in at most so many cells: of two people the key and ✓ stay.
    func fitted(_ columns: Int) -> String {
        guard let other = self.other, CellWidth.of(self.name) > columns else { return self.name }
        return other.conversation(columns)
    }

    /// How far an own message has come: 0 sent, 1 delivered, 2 read.
    func mark(of index: Int, marks: (delivered: Int, read: Int)) -> Int {
        index <= marks.read ? 2 : index <= marks.delivered ? 1 : 0
    }

    /// The last messages that somebody has, and has read, by their places here; -1 for none.
    var marks: (delivered: Int, read: Int) {
        func last(_ marks: [String: String]) -> Int {
            marks.values.compactMap { self.scrollback.index(of: $0) }.max() ?? -1
        }
        let read = last(self.receipts.read)
        return (max(read, last(self.receipts.delivered)), read)
    }

    /// Whether the newest messages are on the screen.
    var isAtEnd: Bool { self.anchor == nil && !self.scrollback.hasNewer }
}

/// Somebody in a conversation.
struct ChatMember: Equatable, Sendable {
    var id: String
    var name: String
    /// How they are shown.
    var person: ShownPerson
    var isAway: Bool
    var isHere: Bool
    var isSelf: Bool
}
