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
    /// How many have come since the person scrolled away.
    var missedBelow = 0
    /// Before which message the line of what is new stands.
    var firstUnread: String?
    var loading: Loading?
    /// Which messages are to be asked for once more, since they came late or have changed.
    var stale: [String] = []
    /// What was found last, the newest first.
    var hits: [String] = []
    /// The message that is to be looked at, and is not here.
    var goal: String?
    var input = InputLine()
    /// The message that is pointed at, for /reply, /react and the like.
    var selected: String?
    /// What the command in the line is about.
    var aim: ChatAim?
    /// The own message whose text is being changed.
    var editing: String?
    /// The message that the next one answers.
    var replying: String?
    var members: [ChatMember] = []
    var hasMembers = false
    /// Up to which own message others have what is here, and have read it.
    var delivered: [String: String] = [:]
    var read: [String: String] = [:]
    /// Who writes here, and how they are shown.
    var typing: [String: ShownPerson] = [:]
    /// What the daemon was told last to be read.
    var acknowledged: Int64 = 0
    /// Up to where the daemon has it as read, by arrival, as far as that is known here.
    var readThrough: Int64 = 0
    /// Messages that are here and were not on the screen, and those that were and are still unread for the
    /// daemon; with their cursors.
    var unseen: [String: Int64] = [:]
    var seen: [String: Int64] = [:]
    /// Whether it was just entered, so that it begins at the first unread message.
    var isEntered = false
    /// Whether the first unread message is older than what is loaded.
    var isSeekingUnread = false

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
        let read = last(self.read)
        return (max(read, last(self.delivered)), read)
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
