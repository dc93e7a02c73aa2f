/// The method `status`.
package enum StatusMethod: ControlMethod {
    package static let description = MethodDescription(
        "status", "Show the daemon's status.", result: "status", access: .group)

    /// The state of the daemon.
    package struct Result: ControlValue {
        package var version = ""
        package var replaced = false
        package var id = ""
        package var person = ""
        package var name = ""
        package var dataDirectory = ""
        package var startedAt = Timestamp(milliseconds: 0)
        package var listen: [String] = []
        package var discovery = Discovery()
        package var links: Int64 = 0
        package var conversations: Int64 = 0
        package var messages: Int64 = 0
        package var requests: Int64 = 0
        package var requestsTurnedAway: Int64 = 0
        package var waiting: Waiting?
        package var incomplete: [IncompleteConversation]?
        package var held: Int64 = 0
        package var incarnation = ""
        package var clockOffsetMilliseconds: Int64 = 0
        package var clockSynchronised: Bool?
        package var scrub = Scrub()
        package var alerts: [Alert] = []
        package var lock: LockWord?
        package var keyring: Keyring?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("version", &self.version, .any, "The daemon's version.")
            visitor.field(
                "replaced", &self.replaced, .any,
                "Whether the daemon's program was replaced since the daemon started, as an upgrade does."
            )
            visitor.field("id", &self.id, .id, "This node's identity.")
            visitor.field("person", &self.person, .id, "The person whose device this is.")
            visitor.field("name", &self.name, .any, "The user's name.")
            visitor.field(
                "dataDirectory", &self.dataDirectory, .any,
                "Where the identity and database are stored.")
            visitor.field("startedAt", &self.startedAt, .any, "When the daemon started.")
            visitor.field(
                "listen", &self.listen, .any, "The addresses that peers can dial, with ports.")
            visitor.field("discovery", &self.discovery, .any, "How peers are found.")
            visitor.field("links", &self.links, .any, "The number of links.")
            visitor.field(
                "conversations", &self.conversations, .any, "The number of conversations.")
            visitor.field("messages", &self.messages, .any, "The number of stored messages.")
            visitor.field("requests", &self.requests, .any, "How many people wait to be accepted.")
            visitor.field(
                "requestsTurnedAway", &self.requestsTurnedAway, .any,
                "How many requests were dropped for lack of room since the start.")
            visitor.field(
                "held", &self.held, .any,
                "How many entries from the future are held until they are due.")
            visitor.field(
                "incarnation", &self.incarnation, .any,
                "The incarnation in use: a random number of 16 hexadecimal digits.")
            visitor.field(
                "clockOffsetMilliseconds", &self.clockOffsetMilliseconds, .any,
                "How far this clock is behind the clocks of most linked people, in milliseconds.")
            visitor.field(
                "clockSynchronised", &self.clockSynchronised, .any,
                "Whether the kernel reports its clock as synchronised; left out if it does not say."
            )
            visitor.field(
                "scrub", &self.scrub, .any, "How far the database has been checked for damage.")
            visitor.field(
                "alerts", &self.alerts, .any,
                "Conditions that need attention, oldest first; empty if all is well.")
            visitor.field(
                "lock", &self.lock, .any,
                "Of a node with a passphrase: whether it is locked. Then only version, dataDirectory, startedAt, lock and keyring mean something."
            )
            visitor.field(
                "keyring", &self.keyring, .any,
                "Of a node whose key is in the desktop's keyring: whether that opens it.")
            visitor.field(
                "waiting", &self.waiting, .any,
                "Your own messages that nobody else has yet; left out if there are none.")
            visitor.field(
                "incomplete", &self.incomplete, .any,
                "Conversations of which messages have been missing for some seconds, at most 16; left out if there are none."
            )
        }
    }

    /// How it stands with the desktop's keyring.
    package struct Keyring: ControlValue, Hashable {
        package var state = KeyringWord.set
        package var why: String?
        package var remedy: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "state", &self.state, .any,
                "set: it opens this node at the next start; asking: it is being asked; refused: it did not open the node; passedOver: the node was locked after the start, and is opened by the passphrase."
            )
            visitor.field("why", &self.why, .any, "Why it did not open the node, a sentence.")
            visitor.field("remedy", &self.remedy, .any, "How to go on.")
        }
    }

    /// Own messages that nobody else has yet, though there is somebody to have them.
    package struct Waiting: ControlValue {
        package var messages: Int64 = 0
        package var estimated: Bool?
        package var conversations: Int64 = 0
        package var since = Timestamp(milliseconds: 0)
        package var recipients: Int64 = 0
        package var members: [InfoMethod.Member] = []

        /// How many members are listed at most.
        package static let listedMembers = 8

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("messages", &self.messages, .any, "How many messages.")
            visitor.field(
                "estimated", &self.estimated, .any,
                "True if messages is an estimate: of more than 1,024 entries only the ends are counted."
            )
            visitor.field("conversations", &self.conversations, .any, "In how many conversations.")
            visitor.field("since", &self.since, .any, "The time of the oldest one.")
            visitor.field(
                "recipients", &self.recipients, .any, "How many members have yet to get them.")
            visitor.field(
                "members", &self.members, .any, "Some of those members, at most 8, contacts first.")
        }
    }

    /// How other nodes are found.
    package struct Discovery: ControlValue {
        package var mode = ""
        package var backend = ""
        package var state = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("mode", &self.mode, .any, "The configured mode.")
            visitor.field("backend", &self.backend, .any, "The backend in use.")
            visitor.field("state", &self.state, .any, "Its state.")
        }
    }

    /// How far the daemon has read its database through, looking for damage.
    package struct Scrub: ControlValue {
        package var completedAt: Timestamp?
        package var percent: Int64 = 0
        package var damagedPages: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "completedAt", &self.completedAt, .orNull,
                "When the last full check ended; null if never.")
            visitor.field(
                "percent", &self.percent, .any, "Progress of the current check, in percent.")
            visitor.field(
                "damagedPages", &self.damagedPages, .any,
                "Damaged pages found by the last check, or by the current one if more.")
        }
    }

    /// Something that a person should know about.
    package struct Alert: ControlValue {
        package var code = ""
        package var text = ""
        package var since = Timestamp(milliseconds: 0)

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("code", &self.code, .any, "A stable word for programs.")
            visitor.field("text", &self.text, .any, "A sentence for people.")
            visitor.field("since", &self.since, .any, "When it began.")
        }
    }
}
