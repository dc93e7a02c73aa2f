/// The method `diagnose`.
package enum DiagnoseMethod: ControlMethod {
    package static let description = MethodDescription(
        "diagnose",
        "Find out what only the daemon can: who reaches it, whom it hears, what is full.",
        result: "diagnosis", hasLargeAnswer: true)

    /// How long the daemon takes at most, in milliseconds: six seconds for its peers, and five to try links.
    package static let waitMilliseconds: Int64 = 13_000

    /// What the daemon has found out.
    package struct Result: ControlValue {
        /// The own port, which peers were asked to dial.
        package var port: Int64 = 0
        /// Whether the settings name it; a free one is another at each start.
        package var portIsChosen = false
        /// What became of that, by whom it was asked of; empty where nobody could be asked.
        package var reach: [Reach] = []
        /// What became of packets to some peers and of theirs, while pings went; empty where nobody on
        /// another machine is linked.
        package var packets: [Packets] = []
        /// Whether discovery follows all that comes and goes, as it does among few; otherwise it says
        /// nothing that somebody was not heard.
        package var follows = false
        /// Peers that are linked and were never heard by discovery; empty where it does not follow.
        package var unheard: [Unheard] = []
        /// What stands in the database, in bytes.
        package var used: Int64 = 0
        /// What the database may take (`DiskLimit=`), in bytes.
        package var limit: Int64 = 0
        /// What messages of strangers take of it, about, and may take, in bytes.
        package var strangers = DiskShare()
        /// The same of fellows: of those who share a realm with a secret.
        package var fellows = DiskShare()
        /// What the next start would refuse of the settings as they are now, as problems, and what it takes
        /// though it is probably a mistake, as warnings.
        package var settings: [Finding] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
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
    package enum Outcome: String, WordValue {
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
    package struct Reach: ControlValue {
        package var peer = ""
        /// The name it goes by here.
        package var name = ""
        /// How far it is trusted here.
        package var tier = TierWord.stranger
        /// Where its link is, with a port.
        package var address = ""
        /// What became of it.
        package var outcome = Outcome.silent
        /// When; a peer dials once in ten minutes at most.
        package var at = Timestamp(milliseconds: 0)

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id)
            visitor.field("name", &self.name)
            visitor.field("tier", &self.tier)
            visitor.field("address", &self.address)
            visitor.field("outcome", &self.outcome)
            visitor.field("at", &self.at)
        }
    }

    /// What the system counted of the packets of a link, with data, while pings went.
    package struct Packets: ControlValue {
        /// The peer's identity.
        package var peer = ""
        /// The name it goes by here.
        package var name = ""
        /// Where the link is, with a port.
        package var address = ""
        /// Packets sent to it, those included that were sent again.
        package var sent: Int64 = 0
        /// Of these, those that did not arrive.
        package var lost: Int64 = 0
        package var received: Int64 = 0
        /// Of these, those that came while one before them was missing: about one for each that was lost.
        package var early: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
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
    package struct Unheard: ControlValue {
        package var peer = ""
        /// The name it goes by here.
        package var name = ""
        /// Where its link is, with a port.
        package var address = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id)
            visitor.field("name", &self.name)
            visitor.field("address", &self.address)
        }
    }
}
