/// The method `diagnose`.
public enum DiagnoseMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "diagnose",
        "Find out what only the daemon can: who reaches it, whom it hears, what is full.",
        result: "diagnosis", hasLargeAnswer: true)

    /// How long the daemon takes at most, in milliseconds: six seconds for its peers, and five to try links.
    public static let waitMilliseconds: Int64 = 13_000

    /// What the daemon has found out.
    public struct Result: ControlValue {
        /// The own port, which peers were asked to dial.
        public var port: Int64 = 0
        /// Whether the settings name it; a free one is another at each start.
        public var portIsChosen = false
        /// What became of that, by whom it was asked of; empty where nobody could be asked.
        public var reach: [Reach] = []
        /// What became of packets to some peers and of theirs, while pings went; empty where nobody on
        /// another machine is linked.
        public var packets: [Packets] = []
        /// Whether discovery follows all that comes and goes, as it does among few; otherwise it says
        /// nothing that somebody was not heard.
        public var follows = false
        /// Peers that are linked and were never heard by discovery; empty where it does not follow.
        public var unheard: [Unheard] = []
        /// What stands in the database, in bytes.
        public var used: Int64 = 0
        /// What the database may take (`DiskLimit=`), in bytes.
        public var limit: Int64 = 0
        /// What messages of strangers take of it, about, and may take, in bytes.
        public var strangers = DiskShare()
        /// The same of fellows: of those who share a realm with a secret.
        public var fellows = DiskShare()
        /// What the next start would refuse of the settings as they are now, as problems, and what it takes
        /// though it is probably a mistake, as warnings.
        public var settings: [Finding] = []

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("port", &self.port)
            visitor.field("portIsChosen", &self.portIsChosen)
            visitor.field("reach", &self.reach)
            visitor.field("packets", &self.packets)
            visitor.field("follows", &self.follows)
            visitor.field("unheard", &self.unheard)
            visitor.field("used", &self.used)
            visitor.field("limit", &self.limit)
            visitor.field("strangers", &self.strangers)
            visitor.field("fellows", &self.fellows)
            visitor.field("settings", &self.settings)
        }
    }

    /// What became of asking a peer to dial the own port.
    public enum Outcome: String, WordValue {
        /// Its stream has come in here.
        case reached
        /// By its word something refused: nobody listens there, or somebody else.
        case refused
        /// By its word nothing came back.
        case noAnswer
        /// It has not tried: it did so within the last ten minutes, or has too much to do.
        case notTried
        /// It has said nothing in time, or to have reached this node, of which nothing was seen.
        case silent
    }

    /// One peer that was asked to dial the own port.
    public struct Reach: ControlValue {
        /// Its identity.
        public var peer = ""
        /// The name it goes by here.
        public var name = ""
        /// How far it is trusted here.
        public var tier = TierWord.stranger
        /// Where its link is, with a port.
        public var address = ""
        /// What became of it.
        public var outcome = Outcome.silent
        /// When; a peer dials once in ten minutes at most.
        public var at = Timestamp(milliseconds: 0)

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id)
            visitor.field("name", &self.name)
            visitor.field("tier", &self.tier)
            visitor.field("address", &self.address)
            visitor.field("outcome", &self.outcome)
            visitor.field("at", &self.at)
        }
    }

    /// What the system counted of the packets of a link, with data, while pings went.
    public struct Packets: ControlValue {
        /// The peer's identity.
        public var peer = ""
        /// The name it goes by here.
        public var name = ""
        /// Where the link is, with a port.
        public var address = ""
        /// Packets sent to it, those included that were sent again.
        public var sent: Int64 = 0
        /// Of these, those that did not arrive.
        public var lost: Int64 = 0
        /// Packets received of it.
        public var received: Int64 = 0
        /// Of these, those that came while one before them was missing: about one for each that was lost.
        public var early: Int64 = 0

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id)
            visitor.field("name", &self.name)
            visitor.field("address", &self.address)
            visitor.field("sent", &self.sent)
            visitor.field("lost", &self.lost)
            visitor.field("received", &self.received)
            visitor.field("early", &self.early)
        }
    }

    /// A peer that answers by unicast and was never heard by multicast.
    public struct Unheard: ControlValue {
        /// Its identity.
        public var peer = ""
        /// The name it goes by here.
        public var name = ""
        /// Where its link is, with a port.
        public var address = ""

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id)
            visitor.field("name", &self.name)
            visitor.field("address", &self.address)
        }
    }
}
