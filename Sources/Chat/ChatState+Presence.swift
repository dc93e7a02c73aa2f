import ControlAPI

/// What others are told of whether the user is there, as far as this client says it.
struct OwnPresence: Equatable, Sendable {
    enum Standing: Equatable, Sendable {
        /// The user is there, or whatever was said elsewhere holds.
        case here
        /// The daemon is asked whether something else was said elsewhere.
        case looking
        /// Said to be away, since nothing was typed.
        case idle
        /// Back, and the daemon could not be told yet.
        case returning
        /// Said to be away with another client: by the user, so that it holds until they say something
        /// else, or since nothing was typed there. The daemon does not tell which.
        case elsewhere
        /// Said to be away by the user, here.
        case said
    }

    /// After how long without a key and without a message of one's own one is away, in milliseconds.
    static let idleMilliseconds: Int64 = 600_000

    /// For how long after a key what comes is taken to be read, in milliseconds: a client that is left open
    /// where nobody looks must not say that it was, nor take away what the desktop shows of it.
    static let readingMilliseconds: Int64 = 120_000

    /// How often other clients are told, by the daemon, that the user is at this one, in milliseconds: often
    /// enough that none takes them to be away.
    static let tellingMilliseconds: Int64 = 300_000

    var standing = Standing.here
    /// When the user was there last, here or with another client.
    var lastActive: Int64 = 0
    /// When the daemon was told last that the user is at this client.
    var toldActive: Int64 = 0
    /// When they were here last.
    var lastKey: Int64 = 0
    /// The same by the clock on the wall, which goes on while the machine is suspended.
    var lastKeyWall: Int64 = 0

    /// When it is to be looked at next.
    var due: Int64? { self.standing == .here ? self.lastActive + Self.idleMilliseconds : nil }
}

extension ChatState {
    /// Whether somebody may be taken to look at the screen.
    var isReading: Bool {
        let reading = 0..<OwnPresence.readingMilliseconds
        // A clock on the wall that was set back does not tell how long it was. What is wrongly not taken
        // to be read is with the next key; the other way round nothing mends it.
        return reading.contains(self.now - self.ownPresence.lastKey)
            && reading.contains(self.wall - self.ownPresence.lastKeyWall)
    }

    /// The user has pressed a key here, or given the terminal another size.
    mutating func isHere() {
        (self.ownPresence.lastKey, self.ownPresence.lastKeyWall) = (self.now, self.wall)
        // Said elsewhere, it may be over with this key.
        let isSaidElsewhere = self.ownPresence.standing == .elsewhere
        self.isActive()
        let since = self.now - self.ownPresence.toldActive
        guard isSaidElsewhere || since >= OwnPresence.tellingMilliseconds,
            self.ownPresence.standing != .returning,
            self.ask(PresenceMethod.self, .presence, { $0.active = true })
        else { return }
        self.ownPresence.toldActive = self.now
    }

    /// The user was here, or has said something with another client.
    mutating func isActive() {
        self.ownPresence.lastActive = self.now
        switch self.ownPresence.standing {
        case .here, .said, .returning: break
        case .looking, .elsewhere: self.ownPresence.standing = .here
        case .idle:
            self.ownPresence.standing = .returning
            self.tellPresenceWhenDue()
        }
    }

    /// Says that the user is back, or away where they have not been there for long.
    mutating func tellPresenceWhenDue() {
        guard self.link.isConnected else { return }
        if self.ownPresence.standing == .returning {
            self.ownPresence.standing = .here
            self.ownPresence.toldActive = self.now
            self.ask(PresenceMethod.self, .presence) { $0.presence = .online }
        } else if let due = self.ownPresence.due, due <= self.now {
            self.ownPresence.standing = .looking
            self.ask(PresenceMethod.self, .presence) { _ in }
        }
    }

    /// A daemon that has started again says that the user is there, so it is told anew.
    mutating func tellPresenceAgain() {
        switch self.ownPresence.standing {
        case .idle: self.sayUnattended()
        case .said: self.ask(PresenceMethod.self, .presence) { $0.presence = .away }
        case .here, .returning: break
        case .looking, .elsewhere: self.ownPresence.standing = .here
        }
    }

    /// Takes what the daemon says of it.
    mutating func stands(presence result: PresenceMethod.Result) {
        guard self.ownPresence.standing == .looking else { return }
        guard result.presence != .away else {
            return self.ownPresence.standing = .elsewhere
        }
        if let since = result.activeMilliseconds,
            (0..<OwnPresence.idleMilliseconds).contains(since)
        {
            // They are at another client.
            self.ownPresence.standing = .here
            self.ownPresence.lastActive = self.now - since
            return
        }
        self.ownPresence.standing = .idle
        self.sayUnattended()
    }

    /// Says that the user is away, until they are at any client.
    private mutating func sayUnattended() {
        self.ask(PresenceMethod.self, .presence) { ($0.presence, $0.active) = (.away, false) }
    }

    /// Takes back what only this client has said, before it ends: no key would do it later.
    mutating func takeBackIdle() {
        guard self.ownPresence.standing == .idle else { return }
        self.ownPresence.standing = .here
        self.ask(PresenceMethod.self, .presence) { $0.presence = .online }
    }

    /// Asks for what `/away` and `/back` say; it counts once the daemon has taken it.
    mutating func say(isAway: Bool, for command: SlashCommand) {
        self.ask(PresenceMethod.self, .command(command, self.current)) {
            $0.presence = isAway ? .away : .online
        }
    }
}
