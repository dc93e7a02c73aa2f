/// What dials that fail say about the network between two machines.
extension Diagnosis {
    /// Only what is on the network right now, or was named by the user, is worth a word: who is only
    /// remembered may just be switched off.
    static func dials(_ facts: DiagnosisFacts) -> [Finding] {
        let links = facts.status?.links ?? 0
        return Self.few(facts.dials) { dial in
            guard dial.source == .discovery || dial.source == .static, let failure = dial.failure
            else { return nil }
            let peer = dial.peer.flatMap { id in facts.peers.first { $0.id == id } }
            let isKnown = peer.map { $0.tier == .known || $0.tier == .verified } ?? false
            let isWanted = isKnown || dial.source == .static || links == 0
            let who = peer.map { $0.name.isEmpty ? $0.id : $0.name }
            let place = dial.addresses.first ?? "an address"
            let name = who.map { "\($0) (\(place))" } ?? place
            switch failure {
            case "otherNetwork" where isWanted:
                return Finding(
                    "subnet", .problem,
                    "\(name) announces itself but is in none of this machine's networks ("
                        + "\(facts.networks.joined(separator: ", "))), so it is not dialled",
                    remedy: "give both machines addresses in one network (ip address), or dial it: "
                        + "stoa connect \(place)")
            case "timedOut" where Self.isForeign(dial, facts):
                return Finding(
                    "subnet", .problem,
                    "\(name) does not answer, and is in none of this machine's networks ("
                        + "\(facts.networks.joined(separator: ", ")))",
                    remedy: "check that a route leads there and back (ip route get "
                        + "\(Self.host(place))), and that the firewalls between let TCP port "
                        + "\(Self.port(place))")
            case "timedOut":
                return Finding(
                    "reach", .problem,
                    // Who is off without having said so is announced for some time.
                    "\(name) \(dial.source == .discovery ? "is announced and " : "")does not "
                        + "answer, so its machine is off, asleep or cut off, or something drops its "
                        + "packets",
                    remedy: "if that machine is on, open TCP port \(Self.port(place)) in its "
                        + "firewall, and check that the network lets clients talk to each other "
                        + "(client isolation)")
            case "noRoute" where !facts.addresses.contains(Self.host(place)):
                return Finding(
                    "subnet", .problem, "no route leads to \(name)",
                    remedy: "check that both machines are in one subnet: ip route get "
                        + "\(Self.host(place))")
            // What is announced here and not there is a daemon's that has just ended.
            case "refused" where isWanted && !facts.addresses.contains(Self.host(place)):
                return Finding(
                    "reach", .warning, "\(name) refuses connections",
                    remedy:
                        "check that stoad is running there, and that the firewall lets it through")
            case "wrongRealm" where isWanted:
                return Finding(
                    "realm", .warning, "\(name) shares no realm with you",
                    remedy: "ask for an invitation and join: stoa realm join")
            case "rejected" where dial.detail?.hasPrefix("no common version") == true:
                return Finding(
                    "protocol", .problem, "no link to \(name) is possible: \(dial.detail ?? "")",
                    remedy: "upgrade the older version")
            case "wrongKey":
                return Finding(
                    "key", .problem, "\(name) has a different key: \(dial.detail ?? "")",
                    remedy: "ask for the key that stoa status shows there (not the person), and "
                        + "correct Peer= or stoa connect")
            default: return nil
            }
        }
    }

    /// Whether no address of a dial is in a network of this machine.
    private static func isForeign(
        _ dial: DialsMethod.Dial, _ facts: DiagnosisFacts
    ) -> Bool {
        !facts.networks.isEmpty && !dial.addresses.isEmpty
            && dial.addresses.allSatisfy { facts.foreignHosts.contains(Self.host($0)) }
    }

    /// Those who have dialled this machine lately and speak another protocol; whom it dials itself is found
    /// by its dials.
    static func versions(_ facts: DiagnosisFacts) -> [Finding] {
        guard let now = facts.now else { return [] }
        var seen = Set(facts.dials.flatMap(\.addresses).map(Self.host))
        for peer in facts.peers where peer.state == .linked {
            seen.formUnion(peer.addresses.map(Self.host))
        }
        return Self.few(facts.refusals) { refusal in
            guard refusal.reason.hasPrefix("no common version"), let address = refusal.address,
                now.milliseconds - refusal.time.milliseconds < Self.refusalMilliseconds,
                seen.insert(Self.host(address)).inserted
            else { return nil }
            return Finding(
                "protocol", .warning,
                "\(Self.host(address)) dialled this machine, but no link is possible: "
                    + "\(refusal.reason)",
                remedy: "upgrade the older version")
        }
    }

    /// A refusal that is older, in milliseconds, is no news: who still is there has dialled again.
    private static let refusalMilliseconds: Int64 = 900_000

    /// The port of `address:port`.
    static func port(_ address: String) -> Substring {
        address[
            (address.lastIndex(of: ":").map { address.index(after: $0) } ?? address.endIndex)...]
    }

    /// The address of `address:port`, without the brackets of IPv6.
    static func host(_ address: String) -> String {
        let host = address[..<(address.lastIndex(of: ":") ?? address.endIndex)]
        return String(host.filter { $0 != "[" && $0 != "]" })
    }
}
