// Identifiers in results are base32 text as `Base32.encode` writes it; times are `Timestamp`s.
// Optional members that are nil are left out unless the property says that they are null.

/// The result of `status`.
public struct StatusResult: Equatable, Sendable {
    /// Something that a person should know about.
    public struct Alert: Equatable, Sendable {
        /// A stable word for programs.
        public let code: String
        /// A sentence for people.
        public let text: String
        /// When it began.
        public let since: Timestamp

        /// Makes an alert.
        public init(code: String, text: String, since: Timestamp) {
            self.code = code
            self.text = text
            self.since = since
        }
    }

    /// How far the daemon has read its database through, looking for damage.
    public struct Scrub: Equatable, Sendable {
        /// When all of it had been read last; null where it never was.
        public let completedAt: Timestamp?
        /// How much of the present round is done, in percent.
        public let percent: Int
        /// How many damaged pages the last round found, or the present one where that is more.
        public let damagedPages: Int

        /// Makes a state.
        public init(completedAt: Timestamp?, percent: Int, damagedPages: Int) {
            self.completedAt = completedAt
            self.percent = percent
            self.damagedPages = damagedPages
        }
    }

    /// The daemon's version.
    public var version: String
    /// The own identity.
    public var id: String
    /// The own name.
    public var name: String
    /// Where identity and database lie.
    public var dataDirectory: String
    /// When the daemon started.
    public var startedAt: Timestamp
    /// The addresses that peers can dial, with ports.
    public var listen: [String]
    /// The discovery mode that was asked for.
    public var discoveryMode: String
    /// The discovery backend in use.
    public var discoveryBackend: String
    /// How the discovery backend does.
    public var discoveryState: String
    /// The number of authenticated links.
    public var links: Int
    /// The number of conversations.
    public var conversations: Int
    /// The number of messages stored.
    public var messages: Int
    /// The number of entries from the future that are held until they are due.
    public var held: Int
    /// The incarnation in use: a random number in 16 hexadecimal digits.
    public var incarnation: String
    /// How far the own clock is behind the median of the linked peers', in milliseconds.
    public var clockOffsetMilliseconds: Int64
    /// How far the database has been read through.
    public var scrub: Scrub
    /// What a person should know about, oldest first.
    public var alerts: [Alert]

    /// Makes a result.
    public init(
        version: String, id: String, name: String, dataDirectory: String, startedAt: Timestamp,
        listen: [String], discoveryMode: String, discoveryBackend: String,
        discoveryState: String, links: Int, conversations: Int, messages: Int, held: Int,
        incarnation: String, clockOffsetMilliseconds: Int64, scrub: Scrub, alerts: [Alert]
    ) {
        self.version = version
        self.id = id
        self.name = name
        self.dataDirectory = dataDirectory
        self.startedAt = startedAt
        self.listen = listen
        self.discoveryMode = discoveryMode
        self.discoveryBackend = discoveryBackend
        self.discoveryState = discoveryState
        self.links = links
        self.conversations = conversations
        self.messages = messages
        self.held = held
        self.incarnation = incarnation
        self.clockOffsetMilliseconds = clockOffsetMilliseconds
        self.scrub = scrub
        self.alerts = alerts
    }

    /// The result as JSON.
    public var json: JSON {
        [
            "version": .string(self.version), "id": .string(self.id),
            "name": .string(self.name), "dataDirectory": .string(self.dataDirectory),
            "startedAt": .string(self.startedAt.text), "listen": .strings(self.listen),
            "discovery": [
                "mode": .string(self.discoveryMode), "backend": .string(self.discoveryBackend),
                "state": .string(self.discoveryState),
            ],
            "links": .integer(Int64(self.links)),
            "conversations": .integer(Int64(self.conversations)),
            "messages": .integer(Int64(self.messages)), "held": .integer(Int64(self.held)),
            "incarnation": .string(self.incarnation),
            "clockOffsetMilliseconds": .integer(self.clockOffsetMilliseconds),
            "scrub": [
                "completedAt": self.scrub.completedAt.map { .string($0.text) } ?? .null,
                "percent": .integer(Int64(self.scrub.percent)),
                "damagedPages": .integer(Int64(self.scrub.damagedPages)),
            ],
            "alerts": .array(
                self.alerts.map {
                    [
                        "code": .string($0.code), "text": .string($0.text),
                        "since": .string($0.since.text),
                    ]
                }),
        ]
    }
}
