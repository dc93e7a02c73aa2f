/// The method `diagnose`.
package enum DiagnoseMethod: ControlMethod {
    package static let description = MethodDescription(
        "diagnose",
        "Run the daemon's own checks of its reach, discovery, disk and settings.",
        result: "diagnosis", hasLargeAnswer: true,
        details:
            "The answer takes up to 13 s. Up to three linked peers on other hosts, the most "
            + "trusted ones, are asked to dial this node's port. Links to up to eight peers "
            + "on other hosts are tested with 80 pings each, and 200 more if packets are "
            + "lost.")

    /// How long the daemon takes at most, in milliseconds: six seconds for its peers, and five to try links.
    package static let waitMilliseconds: Int64 = 13_000

    /// What the daemon has found out.
    package struct Result: ControlValue {
        package var port: Int64 = 0
        package var portIsChosen = false
        package var taken: [String] = []
        package var reach: [Reach] = []
        package var packets: [Packets] = []
        package var follows = false
        package var unheard: [Unheard] = []
        package var used: Int64 = 0
        package var limit: Int64 = 0
        package var strangers = DiskShare()
        package var fellows = DiskShare()
        package var settings: [Finding] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "port", &self.port, .any, "The port of this node, which peers were asked to dial.")
            visitor.field(
                "portIsChosen", &self.portIsChosen, .any,
                "Whether the settings name the port; otherwise it changes at each start.")
            visitor.field(
                "taken", &self.taken, .any,
                "Addresses of Listen= that another program uses; the next free port is used instead."
            )
            visitor.field(
                "reach", &self.reach, .any,
                "Reports of the asked peers; empty if none could be asked.")
            visitor.field(
                "packets", &self.packets, .any,
                "Packet loss on links to other machines, measured with pings; empty if there are none."
            )
            visitor.field(
                "follows", &self.follows, .any,
                "Whether discovery follows every announcement; false in a crowd of more than eight services, or if it does not work."
            )
            visitor.field(
                "unheard", &self.unheard, .any,
                "Peers linked for half a minute that discovery has never heard; empty unless it follows."
            )
            visitor.field("used", &self.used, .any, "Size of the database, in bytes.")
            visitor.field(
                "limit", &self.limit, .any, "The most the database may use (DiskLimit=), in bytes.")
            visitor.field(
                "strangers", &self.strangers, .any,
                "About how much of it strangers' messages use, and the most they may use, in bytes."
            )
            visitor.field(
                "fellows", &self.fellows, .any, "The same for other members of your realms.")
            visitor.field(
                "settings", &self.settings, .any,
                "Findings about the settings as they are in the files: the next start refuses a problem; a warning is probably a mistake."
            )
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
        package var name = ""
        package var tier = TierWord.stranger
        package var address = ""
        package var outcome = Outcome.silent
        package var at = Timestamp(milliseconds: 0)

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id, "The peer's identity.")
            visitor.field("name", &self.name, .any, "The peer's name here.")
            visitor.field("tier", &self.tier, .any, "How far the peer is trusted.")
            visitor.field("address", &self.address, .any, "The address of its link, with a port.")
            visitor.field(
                "outcome", &self.outcome, .any,
                "reached; refused or noAnswer, as the peer reports; notTried, if it dialled within the last 20 seconds or is busy; silent, if it reported nothing in time."
            )
            visitor.field(
                "at", &self.at, .any, "When it dialled; a peer dials at most once in 20 seconds.")
        }
    }

    /// What the system counted of the packets of a link, with data, while pings went.
    package struct Packets: ControlValue {
        package var peer = ""
        package var name = ""
        package var address = ""
        package var sent: Int64 = 0
        package var lost: Int64 = 0
        package var received: Int64 = 0
        package var early: Int64 = 0
        package var small = false
        package var stuck = false

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id, "The peer's identity.")
            visitor.field("name", &self.name, .any, "The peer's name here.")
            visitor.field("address", &self.address, .any, "The address of the link, with a port.")
            visitor.field(
                "sent", &self.sent, .any, "Packets sent to it, including those sent again.")
            visitor.field("lost", &self.lost, .any, "How many of them did not arrive.")
            visitor.field("received", &self.received, .any, "Packets received from it.")
            visitor.field(
                "early", &self.early, .any,
                "How many of them arrived while an earlier one was missing: about one for each that was lost."
            )
            visitor.field(
                "small", &self.small, .any,
                "Whether the link sends only small packets, because large ones were lost.")
            visitor.field(
                "stuck", &self.stuck, .any,
                "Whether large packets to it are lost, and no link with small ones has replaced this one."
            )
        }
    }

    /// A peer that answers by unicast and was never heard by multicast.
    package struct Unheard: ControlValue {
        package var peer = ""
        package var name = ""
        package var address = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("peer", &self.peer, .id, "The peer's identity.")
            visitor.field("name", &self.name, .any, "The peer's name here.")
            visitor.field("address", &self.address, .any, "The address of its link, with a port.")
        }
    }
}
