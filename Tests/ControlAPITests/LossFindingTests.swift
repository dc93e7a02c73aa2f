import ControlAPI
import Testing

@Suite("What the doctor makes of packets that are lost")
struct LossFindingTests {
    private static func findings(_ packets: [DiagnoseMethod.Packets]) -> [Finding] {
        var facts = DiagnosisFacts()
        facts.addresses = ["192.0.2.1"]
        facts.diagnosis = DiagnoseMethod.Result { $0.packets = packets }
        return Diagnosis.findings(facts)
    }

    private static func packets(
        to name: String = "ben", at host: String = "192.0.2.9", lost: Int64 = 0,
        of sent: Int64 = 280, early: Int64 = 0
    ) -> DiagnoseMethod.Packets {
        DiagnoseMethod.Packets {
            $0.name = name
            $0.address = "\(host):5000"
            $0.sent = sent
            $0.lost = lost
            $0.received = 280
            $0.early = early
        }
    }

    @Test("a way on which large packets are lost is a warning that says what to look for")
    func narrow() throws {
        var packets = Self.packets()
        packets.small = true
        let found = Self.findings([packets])
        #expect(found.map(\.check) == ["packets"] && found.first?.severity == .warning)
        let text = try #require(found.first?.text)
        #expect(text.hasPrefix("large packets are lost on the way to ben (192.0.2.9)"))
        #expect(found.first?.remedy.contains("ping -M do -s 1472 192.0.2.9") == true)
    }

    @Test("a way on which large packets are lost while none are small is a warning, too")
    func stuck() {
        var packets = Self.packets()
        packets.stuck = true
        let found = Self.findings([packets])
        #expect(found.map(\.check) == ["packets"] && found.first?.severity == .warning)
        #expect(found.first?.text.contains("has not been able to dial it with small ones") == true)
    }

    @Test("packets that are lost there or back, with how many, to whom, and what to look at")
    func lost() throws {
        let found = Self.findings([Self.packets(lost: 14)])
        #expect(found.map(\.check) == ["loss"] && found.first?.severity == .warning)
        #expect(found.first?.text == "about 5 % of the packets to ben (192.0.2.9) are lost")
        let remedy = try #require(found.first?.remedy)
        #expect(remedy.contains("of both machines") && remedy.contains("ping -c 100 192.0.2.9"))
        let back = Self.findings([Self.packets(early: 28)])
        #expect(back.first?.text == "about 10 % of the packets from ben (192.0.2.9) are lost")
        let both = Self.findings([Self.packets(to: "", lost: 14, early: 28)])
        #expect(
            both.first?.text == "about 5 % of the packets to 192.0.2.9 are lost, and 10 % of the "
                + "packets from there")
    }

    @Test(
        "a few are bad luck, and few of many are none",
        arguments: [
            packets(lost: 4, of: 20), packets(lost: 5, of: 251), packets(early: 4),
            packets(at: "192.0.2.1", lost: 100),
        ])
    func sound(packets: DiagnoseMethod.Packets) {
        #expect(Self.findings([packets]) == [])
    }

    @Test("five of two hundred and fifty are enough")
    func enough() {
        #expect(Self.findings([Self.packets(lost: 5, of: 250)]).count == 1)
    }

    @Test("where others lose none it is that machine, and where all do it is this one")
    func whose() {
        let cem = Self.packets(to: "cem", at: "192.0.2.8")
        let one = Self.findings([Self.packets(lost: 20), cem])
        #expect(one.count == 1 && one[0].remedy.contains("of that machine"))
        let all = Self.findings([
            Self.packets(lost: 20), Self.packets(to: "cem", at: "192.0.2.8", early: 60),
        ])
        #expect(all.count == 1 && all[0].severity == .problem)
        #expect(
            all[0].text.contains(
                "every peer that was tested are lost: about 7 % of the packets to ben"))
        #expect(all[0].text.contains("; about 21 % of the packets from cem"))
        #expect(all[0].remedy.hasPrefix("check this machine's own cable or Wi-Fi first"))
    }

    @Test(
        "many lost ones are a problem, of whom the user knows; one stranger may lose them on purpose",
        arguments: [(TierWord.known, Finding.Severity.problem), (.stranger, .warning)])
    func severity(tier: TierWord, severity: Finding.Severity) {
        var facts = DiagnosisFacts()
        var peer = PeersMethod.Peer()
        (peer.id, peer.tier) = ("ben's", tier)
        facts.peers = [peer]
        var packets = Self.packets(lost: 40)
        packets.peer = "ben's"
        facts.diagnosis = DiagnoseMethod.Result { $0.packets = [packets] }
        #expect(Diagnosis.findings(facts).map(\.severity) == [severity])
    }

    @Test("once somebody is missed, it is among what may keep them away")
    func parting() {
        var facts = DiagnosisFacts()
        facts.diagnosis = DiagnoseMethod.Result { $0.packets = [Self.packets(lost: 20)] }
        #expect(Diagnosis.partings(facts).map(\.check) == ["loss"])
    }
}
