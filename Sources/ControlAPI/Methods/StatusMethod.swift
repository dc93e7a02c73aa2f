/// The method `status`.
package enum StatusMethod: ControlMethod {
    package static let description = MethodDescription(
        "status", "Show the daemon's status.", result: "status", access: .group)

    /// The state of the daemon.
    package struct Result: ControlValue {
        /// The daemon's version.
        package var version = ""
        /// The own identity.
        package var id = ""
        /// The person whose device this is.
        package var person = ""
        package var name = ""
        /// Where identity and database lie.
        package var dataDirectory = ""
        /// When the daemon started.
        package var startedAt = Timestamp(milliseconds: 0)
        /// The addresses that peers can dial, with ports.
        package var listen: [String] = []
        /// How other nodes are found.
        package var discovery = Discovery()
        /// The number of authenticated links.
        package var links: Int64 = 0
        /// The number of conversations.
        package var conversations: Int64 = 0
        /// The number of messages stored.
        package var messages: Int64 = 0
        /// How many people have written who wait to be accepted.
        package var requests: Int64 = 0
        /// How many more were turned away for want of room since the start.
        package var requestsTurnedAway: Int64 = 0
        /// Own messages that nobody else has yet; nil where there are none.
        package var waiting: Waiting?
        /// The number of entries from the future that are held until they are due.
        package var held: Int64 = 0
        /// The incarnation in use: a random number in 16 hexadecimal digits.
        package var incarnation = ""
        /// How far the own clock is behind those of most linked people, in milliseconds.
        package var clockOffsetMilliseconds: Int64 = 0
        /// Whether the kernel says that its clock is synchronised; nil where it says nothing.
        package var clockSynchronised: Bool?
        /// How far the database has been read through.
        package var scrub = Scrub()
        /// What a person should know about, oldest first.
        package var alerts: [Alert] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("version", &self.version)
            visitor.field("id", &self.id, .id)
            visitor.field("person", &self.person, .id)
            visitor.field("name", &self.name)
            visitor.field("dataDirectory", &self.dataDirectory)
            visitor.field("startedAt", &self.startedAt)
            visitor.field("listen", &self.listen)
            visitor.field("discovery", &self.discovery)
            visitor.field("links", &self.links)
            visitor.field("conversations", &self.conversations)
            visitor.field("messages", &self.messages)
            visitor.field("requests", &self.requests)
            visitor.field("requestsTurnedAway", &self.requestsTurnedAway)
            visitor.field("held", &self.held)
            visitor.field("incarnation", &self.incarnation)
            visitor.field("clockOffsetMilliseconds", &self.clockOffsetMilliseconds)
            visitor.field("clockSynchronised", &self.clockSynchronised)
            visitor.field("scrub", &self.scrub)
            visitor.field("alerts", &self.alerts)
            visitor.field("waiting", &self.waiting)
        }
    }

    /// Own messages that nobody else has yet, though there is somebody to have them.
    package struct Waiting: ControlValue {
        package var messages: Int64 = 0
        /// True where they are about so many, as a thousand entries and more wait; else left out.
        package var estimated: Bool?
        /// In how many conversations.
        package var conversations: Int64 = 0
        /// The time of the oldest of them.
        package var since = Timestamp(milliseconds: 0)
        /// How many members are to have them.
        package var recipients: Int64 = 0
        /// Some of these, at most ``listedMembers``: those whom the user knows come first.
        package var members: [InfoMethod.Member] = []

        /// How many members are listed at most.
        package static let listedMembers = 8

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("messages", &self.messages)
            visitor.field("estimated", &self.estimated)
            visitor.field("conversations", &self.conversations)
            visitor.field("since", &self.since)
            visitor.field("recipients", &self.recipients)
            visitor.field("members", &self.members)
        }
    }

    /// How other nodes are found.
    package struct Discovery: ControlValue {
        /// What the configuration asks for.
        package var mode = ""
        /// What is in use.
        package var backend = ""
        /// How it is doing.
        package var state = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("mode", &self.mode)
            visitor.field("backend", &self.backend)
            visitor.field("state", &self.state)
        }
    }

    /// How far the daemon has read its database through, looking for damage.
    package struct Scrub: ControlValue {
        /// When all of it had been read last; null where it never was.
        package var completedAt: Timestamp?
        /// How much of the present round is done, in percent.
        package var percent: Int64 = 0
        /// How many damaged pages the last round found, or the present one where that is more.
        package var damagedPages: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("completedAt", &self.completedAt, .orNull)
            visitor.field("percent", &self.percent)
            visitor.field("damagedPages", &self.damagedPages)
        }
    }

    /// Something that a person should know about.
    package struct Alert: ControlValue {
        /// A stable word for programs.
        package var code = ""
        /// A sentence for people.
        package var text = ""
        /// When it began.
        package var since = Timestamp(milliseconds: 0)

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("code", &self.code)
            visitor.field("text", &self.text)
            visitor.field("since", &self.since)
        }
    }
}
