/// What others find of this machine, and this machine of others.
extension Diagnosis {
    // MARK: The own port

    /// Ports of `Listen=` that somebody else has, as another user's daemon that reads the same settings.
    static func taken(_ facts: DiagnosisFacts) -> [Finding] {
        guard let diagnosis = facts.diagnosis else { return [] }
        return Self.few(diagnosis.taken) { address in
            let port = Self.port(address)
            let holder = facts.portHolders[address] ?? "another program"
            return Finding(
                "listen", .warning,
                "\(holder) uses TCP port \(port), which Listen= names; this daemon listens on port "
                    + "\(diagnosis.port) instead",
                remedy:
                    "set Listen= to a port of your own in ~/.config/stoa/stoad.conf and let it "
                    + "through the firewall, or end that program (ss -ltnp)")
        }
    }

    /// Whether others reach the own port, by what became of asking them to dial it.
    ///
    /// That somebody does is what the daemon has seen. That somebody does not is their word: of a stranger
    /// alone it is a warning, of two, or of somebody trusted, a problem.
    static func reach(_ facts: DiagnosisFacts) -> [Finding] {
        guard let diagnosis = facts.diagnosis else { return [] }
        // Who is on this machine sees no firewall.
        let asked = diagnosis.reach.filter { !facts.addresses.contains(Self.host($0.address)) }
        let failed = asked.filter { $0.outcome == .refused || $0.outcome == .noAnswer }
        guard let first = failed.first else { return [] }
        let names = Self.names(failed)
        let port = diagnosis.port
        if let other = asked.first(where: { $0.outcome == .reached }) {
            return [
                Finding(
                    "port", .warning,
                    "peers disagree: \(Self.name(other)) reached this machine at TCP port "
                        + "\(port), but \(names) reported that they could not",
                    remedy:
                        "check whether a rule of this machine's firewall names addresses (nft list "
                        + "ruleset), and what is between it and \(Self.name(first))")
            ]
        }
        let isTrusted = failed.contains { $0.tier != .stranger && $0.tier != .blocked }
        let isRefused = failed.allSatisfy { $0.outcome == .refused }
        let word = isTrusted || failed.count > 1 ? "" : ", as a stranger reports"
        let again =
            facts.now.map { now in
                "; each peer dials at most once in 20 seconds, last "
                    + "\(max(0, now.milliseconds - first.at.milliseconds) / 1_000) s ago"
            } ?? ""
        let chosen =
            diagnosis.portIsChosen
            ? "" : "; a free port changes at each start: set Listen=[::]:4100 first"
        return [
            Finding(
                "port", isTrusted || failed.count > 1 ? .problem : .warning,
                "\(names) cannot reach this machine at TCP port \(port)\(word): "
                    + (isRefused ? "refused" : "no answer") + again,
                remedy:
                    "let TCP port \(port) through this machine's firewall: ufw allow \(port)/tcp, "
                    + "or nft insert rule inet filter input tcp dport \(port) accept\(chosen)")
        ]
    }

    /// Says how old it is that somebody has reached this machine, where that was before this look.
    static func reachAge(_ facts: DiagnosisFacts) -> String? {
        guard let diagnosis = facts.diagnosis, let now = facts.now,
            let first = diagnosis.reach.first(where: {
                $0.outcome == .reached && !facts.addresses.contains(Self.host($0.address))
            })
        else { return nil }
        // What this look has brought is from after it began.
        let age = (now.milliseconds - first.at.milliseconds) / 1_000
        guard age > 0 else { return nil }
        return
            "\(Self.name(first)) reached this machine at TCP port \(diagnosis.port) \(age) s before "
            + "this check, and dials at most once in 20 seconds: after a change, run it again"
    }

    private static func name(_ reach: DiagnoseMethod.Reach) -> String {
        let place = Self.host(reach.address)
        return reach.name.isEmpty ? place : "\(reach.name) (\(place))"
    }

    private static func names(_ all: [DiagnoseMethod.Reach]) -> String {
        all.map(Self.name).joined(separator: " and ")
    }

    // MARK: Multicast

    /// Whether multicast goes out and comes in, on each interface by itself, then by who is not heard.
    static func multicast(_ facts: DiagnosisFacts) -> [Finding] {
        guard let discovery = facts.status?.discovery, discovery.mode != "off" else { return [] }
        let here = Self.few(facts.multicast) { Self.finding($0) }
        // Where it fails here, this machine is why nobody is heard.
        return here.isEmpty ? Self.unheard(facts) : here
    }

    private static func finding(_ multicast: DiagnosisFacts.Multicast) -> Finding? {
        let name = multicast.interface
        let allow = "udp dport 5353 accept, or ufw allow 5353/udp"
        switch multicast.outcome {
        case .heard: return nil
        case .unheard:
            return Finding(
                "multicast", .problem,
                "multicast does not work on \(name): this machine drops what it sends itself",
                remedy: "let UDP port 5353 in: nft insert rule inet filter input \(allow)")
        case .unsent(let why):
            return Finding(
                "multicast", .problem, "multicast cannot be sent on \(name): \(why)",
                remedy: "let UDP port 5353 out: nft insert rule inet filter output \(allow)")
        case .unable:
            return Finding(
                "multicast", .problem, "\(name) has multicast turned off: nobody is found there",
                remedy: "ip link set \(name) multicast on")
        }
    }

    /// Who is linked and was never heard, in a network in which multicast would reach this machine.
    private static func unheard(_ facts: DiagnosisFacts) -> [Finding] {
        guard let diagnosis = facts.diagnosis, diagnosis.follows else { return [] }
        return Self.few(diagnosis.unheard) { peer in
            let host = Self.host(peer.address)
            guard !facts.foreignHosts.contains(host), !facts.addresses.contains(host) else {
                return nil
            }
            let name = peer.name.isEmpty ? host : "\(peer.name) (\(host))"
            return Finding(
                "isolation", .warning,
                "\(name) answers by unicast, but its announcements never arrived by multicast",
                remedy:
                    "check that discovery is on there (Discovery=), and that the access point or "
                    + "switch forwards multicast (client isolation, IGMP snooping)")
        }
    }
}
