import ControlAPI
import Testing

@Suite("What the doctor makes of whom this machine reaches, and who reaches it")
struct ReachFindingTests {
    /// A machine in one network, whose daemon has port 4100.
    private static func findings(_ change: (inout DiagnosisFacts) -> Void) -> [Finding] {
        var facts = DiagnosisFacts()
        facts.status = StatusMethod.Result {
            $0.version = StoaVersion.text
            $0.links = 1
            $0.discovery.mode = "auto"
            $0.discovery.state = "announced"
        }
        facts.freeBytes = 1 << 30
        facts.now = Timestamp(milliseconds: 1_000_000)
        facts.networks = ["192.0.2.1/24"]
        facts.addresses = ["192.0.2.1"]
        facts.diagnosis = DiagnoseMethod.Result {
            $0.port = 4_100
            $0.portIsChosen = true
            $0.follows = true
        }
        change(&facts)
        return Diagnosis.findings(facts)
    }

    private static func only(_ change: (inout DiagnosisFacts) -> Void) throws -> Finding {
        let found = Self.findings(change)
        try #require(found.count == 1, "\(found)")
        return found[0]
    }

    private static func reach(
        _ name: String, _ outcome: DiagnoseMethod.Outcome, _ tier: TierWord = .stranger,
        at host: String = "192.0.2.9"
    ) -> DiagnoseMethod.Reach {
        DiagnoseMethod.Reach {
            $0.name = name
            $0.tier = tier
            $0.address = "\(host):5000"
            $0.outcome = outcome
            $0.at = Timestamp(milliseconds: 970_000)
        }
    }

    // MARK: The own port

    @Test("that the own port was reached is said with its age, where that was before this check")
    func age() {
        var facts = DiagnosisFacts()
        facts.now = Timestamp(milliseconds: 982_000)
        facts.diagnosis = DiagnoseMethod.Result {
            $0.port = 4_100
            $0.reach = [Self.reach("ben", .reached)]
        }
        let notes = Diagnosis.notes(facts)
        #expect(notes.count == 1)
        #expect(
            notes.first?.hasPrefix(
                "ben (192.0.2.9) reached this machine at TCP port 4100 12 s before")
                == true)
        facts.now = Timestamp(milliseconds: 969_500)
        #expect(Diagnosis.notes(facts).isEmpty)
    }

    @Test("who is known by an address record alone is counted, and named where nobody answers")
    func otherNetworks() {
        var facts = DiagnosisFacts()
        facts.peers = [
            PeersMethod.Peer {
                $0.id = "ada"
                $0.source = .record
                $0.state = .linked
            },
            PeersMethod.Peer {
                $0.id = "ben"
                $0.name = "Ben"
                $0.source = .record
                $0.addresses = ["10.78.0.4:4100"]
            },
            PeersMethod.Peer { $0.id = "cleo" },
        ]
        facts.dials = [
            DialsMethod.Dial {
                $0.peer = "ben"
                $0.source = .record
                $0.failure = "timedOut"
            }
        ]
        let text =
            "other networks: 1 of 2 known by their address records are linked; "
            + "no answer from Ben (10.78.0.4:4100)"
        #expect(Diagnosis.notes(facts) == [text])
        let checks = Set(Diagnosis.findings(facts).map(\.check))
        #expect(checks.isDisjoint(with: ["reach", "subnet"]))
        facts.peers = []
        #expect(Diagnosis.notes(facts).isEmpty)
    }

    @Test(
        "somebody known who cannot reach the own port is a problem, with the port and what opens it"
    )
    func known() throws {
        let found = try Self.only { $0.diagnosis?.reach = [Self.reach("ben", .noAnswer, .known)] }
        #expect(found.check == "port" && found.severity == .problem)
        #expect(
            found.text == "ben (192.0.2.9) cannot reach this machine at TCP port 4100: no "
                + "answer; each peer dials at most once in 20 seconds, last 30 s ago")
        #expect(found.remedy.contains("ufw allow 4100/tcp"))
        #expect(found.remedy.contains("nft insert rule inet filter input tcp dport 4100 accept"))
        let refused = try Self.only { $0.diagnosis?.reach = [Self.reach("ben", .refused, .known)] }
        #expect(refused.text.contains("refused"))
    }

    @Test("a port of the settings that somebody else has, who that is, and which is used instead")
    func taken() throws {
        let found = try Self.only {
            $0.diagnosis?.taken = ["[::]:4100"]
            $0.diagnosis?.port = 4_101
            $0.portHolders = ["[::]:4100": "ben (stoad, process 7)"]
        }
        #expect(found.check == "listen" && found.severity == .warning)
        #expect(
            found.text == "ben (stoad, process 7) uses TCP port 4100, which Listen= names; this "
                + "daemon listens on port 4101 instead")
        #expect(found.remedy.contains("~/.config/stoa/stoad.conf"))
    }

    @Test("a port that is another at each start is to be chosen before it is opened")
    func freePort() throws {
        let found = try Self.only {
            $0.diagnosis?.reach = [Self.reach("ben", .noAnswer, .known)]
            $0.diagnosis?.portIsChosen = false
        }
        #expect(found.remedy.contains("set Listen=[::]:4100 first"))
    }

    @Test("a stranger alone is not believed as much as two")
    func strangers() throws {
        let one = try Self.only { $0.diagnosis?.reach = [Self.reach("eve", .noAnswer)] }
        #expect(one.severity == .warning && one.text.contains("as a stranger reports"))
        let two = try Self.only {
            $0.diagnosis?.reach = [
                Self.reach("eve", .noAnswer), Self.reach("bob", .noAnswer, at: "192.0.2.8"),
            ]
        }
        #expect(two.severity == .problem)
        #expect(two.text.hasPrefix("eve (192.0.2.9) and bob (192.0.2.8) cannot reach"))
    }

    @Test("where two disagree, both are named")
    func disagree() throws {
        let found = try Self.only {
            $0.diagnosis?.reach = [
                Self.reach("ben", .noAnswer, .verified),
                Self.reach("cem", .reached, at: "192.0.2.8"),
            ]
        }
        #expect(found.severity == .warning)
        #expect(found.text.hasPrefix("peers disagree: cem (192.0.2.8) reached"))
        #expect(found.text.contains("ben (192.0.2.9) reported that they could not"))
    }

    @Test(
        "who has reached it, has not tried, has said nothing or is on this machine, is no finding")
    func nothing() {
        for outcome in [DiagnoseMethod.Outcome.reached, .notTried, .silent] {
            #expect(
                Self.findings { $0.diagnosis?.reach = [Self.reach("ben", outcome, .known)] } == [])
        }
        let here = Self.findings {
            $0.diagnosis?.reach = [Self.reach("ben", .noAnswer, .known, at: "192.0.2.1")]
        }
        #expect(here == [])
    }

    // MARK: Multicast

    @Test(
        "multicast that this machine drops itself, by the interface and the way it goes",
        arguments: [
            (DiagnosisFacts.Multicast.Outcome.unheard, "not work on eth0", "input udp dport 5353"),
            (.unsent("Operation not permitted"), "cannot be sent on eth0: Op", "output udp dport"),
            (.unable, "eth0 has multicast turned off", "ip link set eth0 multicast on"),
        ])
    func multicast(
        outcome: DiagnosisFacts.Multicast.Outcome, text: String, remedy: String
    ) throws {
        let change = { (facts: inout DiagnosisFacts) in
            facts.multicast = [DiagnosisFacts.Multicast(interface: "eth0", outcome: outcome)]
            // This machine is why nobody is heard.
            facts.diagnosis?.unheard = [DiagnoseMethod.Unheard { $0.address = "192.0.2.9:1" }]
        }
        let found = try Self.only(change)
        #expect(found.check == "multicast" && found.severity == .problem)
        #expect(found.text.contains(text) && found.remedy.contains(remedy))
        let off = Self.findings {
            change(&$0)
            $0.status?.discovery.mode = "off"
        }
        #expect(off == [])
    }

    @Test(
        "who answers by unicast and was never heard, in the same network and where it says something"
    )
    func isolation() throws {
        let ben = DiagnoseMethod.Unheard {
            $0.name = "ben"
            $0.address = "192.0.2.9:4100"
        }
        let change = { (facts: inout DiagnosisFacts) in
            facts.multicast = [DiagnosisFacts.Multicast(interface: "eth0", outcome: .heard)]
            facts.diagnosis?.unheard = [ben]
        }
        let found = try Self.only(change)
        #expect(found.check == "isolation" && found.severity == .warning)
        #expect(found.text.hasPrefix("ben (192.0.2.9) answers by unicast"))
        #expect(found.remedy.contains("client isolation"))
        for other in [
            { (facts: inout DiagnosisFacts) in facts.foreignHosts = ["192.0.2.9"] },
            { $0.diagnosis?.follows = false }, { $0.addresses = ["192.0.2.9"] },
        ] {
            let none = Self.findings {
                change(&$0)
                other(&$0)
            }
            #expect(none == [])
        }
    }

    // MARK: Networks, versions, quota

    @Test("who is in none of the own networks, announced or configured")
    func subnets() throws {
        func found(_ source: PeersMethod.Source, _ failure: String) throws -> Finding {
            try Self.only {
                $0.foreignHosts = ["198.51.100.7"]
                $0.dials = [
                    DialsMethod.Dial {
                        $0.addresses = ["198.51.100.7:4100"]
                        $0.source = source
                        $0.failure = failure
                    }
                ]
                $0.status?.links = 0
            }
        }
        let announced = try found(.discovery, "otherNetwork")
        #expect(announced.check == "subnet")
        #expect(announced.text.contains("none of this machine's networks (192.0.2.1/24)"))
        #expect(announced.remedy.contains("addresses in one network"))
        let named = try found(.static, "timedOut")
        #expect(named.check == "subnet" && named.remedy.contains("ip route get 198.51.100.7"))
    }

    @Test(
        "who dialled lately and speaks another protocol, unless they are linked or dialled by now")
    func versions() throws {
        let change = { (facts: inout DiagnosisFacts) in
            facts.refusals = [
                RefusalsMethod.Refusal {
                    $0.time = Timestamp(milliseconds: 900_000)
                    $0.address = "192.0.2.9:50000"
                    $0.reason = "no common version: the peer speaks 3 to 3, this node 2"
                }
            ]
        }
        let found = try Self.only(change)
        #expect(found.check == "protocol" && found.severity == .warning)
        #expect(found.text.hasPrefix("192.0.2.9 dialled this machine"))
        for other in [
            { (facts: inout DiagnosisFacts) in facts.now = Timestamp(milliseconds: 1_800_001) },
            { $0.refusals[0].reason = "the first bytes are not Stoa's" },
            {
                $0.peers = [
                    PeersMethod.Peer {
                        $0.state = .linked
                        $0.addresses = ["192.0.2.9:4100"]
                    }
                ]
            },
        ] {
            let none = Self.findings {
                change(&$0)
                other(&$0)
            }
            #expect(none == [])
        }
    }

    @Test("a share of the disk that is nearly used up, and whose it is")
    func quota() throws {
        let change = { (facts: inout DiagnosisFacts) in
            facts.diagnosis?.limit = 10 << 20
            facts.diagnosis?.used = 9 << 20
            facts.diagnosis?.strangers.bytes = 1 << 20
            facts.diagnosis?.strangers.limit = 2 << 20
        }
        let found = try Self.only(change)
        #expect(found.check == "quota" && found.severity == .warning)
        #expect(
            found.text == "messages take 9216 of the 10240 KiB that DiskLimit= allows "
                + "(strangers 1024 of at most 2048 KiB)")
        let less = Self.findings {
            change(&$0)
            $0.diagnosis?.used -= 1
        }
        #expect(less == [])
    }

    @Test("somebody who is missed is a warning that says what else to look at")
    func missing() throws {
        let found = try Self.only {
            $0.status?.alerts = [
                StatusMethod.Alert {
                    $0.code = "missing"
                    $0.text = "ben was here"
                }
            ]
        }
        #expect(found.severity == .warning && found.remedy.contains("is on"))
    }

    @Test("what keeps rooms from other sites is told, and what goes there is noted")
    func sites() {
        var facts = DiagnosisFacts()
        func problems() -> [String] {
            Diagnosis.findings(facts).filter { $0.check == "sites" }.map(\.text)
        }
        func notes() -> [String] {
            Diagnosis.notes(facts).filter { $0.hasPrefix("other sites") }
        }
        #expect(problems().isEmpty && notes().isEmpty)
        var report = SitesReport()
        (report.state, report.server) = (.linked, "nats://192.0.2.7:4222")
        facts.sites = DiagnosisFacts.Sites(report: report, isRunning: true)
        #expect(problems().isEmpty)
        #expect(notes() == ["other sites: linked to nats://192.0.2.7:4222"])
        report.files = SitesReport.Files { $0.problem = "no stream of files" }
        facts.sites = DiagnosisFacts.Sites(report: report, isRunning: true)
        #expect(problems() == ["files do not reach other sites: no stream of files"])
        (report.state, report.problem) = (.noStream, "the servers have no stream")
        facts.sites = DiagnosisFacts.Sites(report: report, isRunning: true)
        #expect(problems().count == 1 && problems()[0].contains("no stream"))
        #expect(notes().isEmpty)
        facts.sites = DiagnosisFacts.Sites(report: report, isRunning: false)
        #expect(problems().count == 1 && problems()[0].contains("has ended"))
    }
}
