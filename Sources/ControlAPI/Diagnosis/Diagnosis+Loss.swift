/// What becomes of packets on the way to linked peers and back.
extension Diagnosis {
    /// Fewer lost ones are bad luck, or a network that was busy for a moment.
    private static let lostPackets: Int64 = 5
    /// From so many of a hundred on messages are late, and files slow.
    ///
    /// A sound network loses none, a wireless one hardly any, since its cards send again what did not arrive.
    private static let lostPercent: Int64 = 2
    /// From so many on people notice it in every conversation.
    private static let badPercent: Int64 = 10

    /// A link on which packets are lost, in per cent each way; 0 where they are not.
    private struct Loss {
        var name: String
        var host: String
        var there: Int64
        var back: Int64
        /// Whether it is with somebody of whom a problem is believed: anybody can lose packets on purpose.
        var isTrusted = false
        var text: String {
            switch (self.there, self.back) {
            case (_, 0): "about \(self.there) % of the packets to \(self.name) are lost"
            case (0, _): "about \(self.back) % of the packets from \(self.name) are lost"
            default:
                "about \(self.there) % of the packets to \(self.name) are lost, and "
                    + "\(self.back) % of the packets from there"
            }
        }
    }

    /// Whether packets are lost on the way to peers or back, by what the system counted while links were tried.
    static func loss(_ facts: DiagnosisFacts) -> [Finding] {
        guard let all = facts.diagnosis?.packets else { return [] }
        // Who is on this machine loses none.
        let tried = all.filter { !facts.addresses.contains(Self.host($0.address)) }
        let bad = tried.compactMap { packets -> Loss? in
            var loss = Self.loss(packets)
            let tier = facts.peers.first { $0.id == packets.peer }?.tier
            loss?.isTrusted = tier != nil && tier != .stranger && tier != .blocked
            return loss
        }
        func severity(_ loss: Loss) -> Finding.Severity {
            let isBad = max(loss.there, loss.back) >= Self.badPercent
            return isBad && (loss.isTrusted || bad.count > 1) ? .problem : .warning
        }
        if bad.count > 1, bad.count == tried.count {
            return [
                Finding(
                    "loss", bad.contains { severity($0) == .problem } ? .problem : .warning,
                    "packets to and from every peer that was tested are lost: "
                        + bad.map(\.text).joined(separator: "; "),
                    remedy:
                        "check this machine's own cable or Wi-Fi first (ip -s link): try another "
                        + "cable, another port of the switch, or move closer to the access point")
            ]
        }
        let whose = tried.count > bad.count ? "of that machine" : "of both machines"
        return Self.few(bad) { loss in
            Finding(
                "loss", severity(loss), loss.text,
                remedy:
                    "check the cable or Wi-Fi \(whose), and the switch between them (ip -s link "
                    + "there, ping -c 100 \(loss.host)): try another cable or port, or move closer to the "
                    + "access point")
        }
    }

    /// Whether large packets are lost on the way to peers, by which links send small ones only.
    ///
    /// Messages come all the same, and a stranger can make a link look so.
    static func narrow(_ facts: DiagnosisFacts) -> [Finding] {
        self.stuck(facts)
            + Self.few(facts.diagnosis?.packets.filter(\.small) ?? []) { packets in
                let host = Self.host(packets.address)
                return Finding(
                    "packets", .warning,
                    "large packets are lost on the way to \(Self.name(packets)); messages travel in "
                        + "small ones instead, and files are slower",
                    remedy:
                        "look for a switch or VPN with a smaller MTU (ping -M do -s 1472 \(host)) and "
                        + "raise its MTU, or lower this machine's: ip link set eth0 mtu 900")
            }
    }

    /// Whether large packets are lost on links that cannot be replaced by ones of small packets, as where only the
    /// other side can dial.
    private static func stuck(_ facts: DiagnosisFacts) -> [Finding] {
        Self.few(facts.diagnosis?.packets.filter(\.stuck) ?? []) { packets in
            let host = Self.host(packets.address)
            return Finding(
                "packets", .warning,
                "large packets are lost on the way to \(Self.name(packets)), and this machine has "
                    + "not been able to dial it with small ones: long messages do not get there",
                remedy:
                    "let this machine reach that one (run stoa doctor there), or raise the MTU of "
                    + "the switch or VPN between the two (ping -M do -s 1472 \(host))")
        }
    }

    private static func name(_ packets: DiagnoseMethod.Packets) -> String {
        let host = Self.host(packets.address)
        return packets.name.isEmpty ? host : "\(packets.name) (\(host))"
    }

    private static func loss(_ packets: DiagnoseMethod.Packets) -> Loss? {
        func percent(_ lost: Int64, of all: Int64) -> Int64 {
            guard lost >= Self.lostPackets, lost * 100 >= all * Self.lostPercent else { return 0 }
            return lost * 100 / max(all, lost)
        }
        let there = percent(packets.lost, of: packets.sent)
        let back = percent(packets.early, of: packets.received)
        guard there > 0 || back > 0 else { return nil }
        return Loss(
            name: Self.name(packets), host: Self.host(packets.address), there: there, back: back)
    }
}
