/// The judgement of `stoa doctor`: from what is known to what is wrong and what to do about it.
///
/// Pure: the same facts give the same findings, in the order in which they are best looked at. Where
/// nothing is wrong there are none.
package enum Diagnosis {
    /// Linked people's clocks may be this far away, in milliseconds: entries further ahead are held.
    static let clockMilliseconds: Int64 = 60_000
    /// With less room than this, in bytes, the next files and weeks of messages may not fit.
    static let scarceBytes: Int64 = 256 << 20
    /// What the daemon needs to write messages, in bytes: its write-ahead log, a batch, and a little.
    static let neededBytes: Int64 = 8 << 20
    /// What to do where the database is damaged.
    private static let repair =
        "systemctl --user stop stoad, then stoad --repair; and check the disk"
    /// Where a daemon says what it does.
    private static let log = "see its log: journalctl --user -u stoad"
    /// Findings of one kind that are listed; the rest is counted.
    static let listed = 8

    package static func findings(_ facts: DiagnosisFacts) -> [Finding] {
        var found = self.daemon(facts)
        found += self.version(facts)
        found += self.ownChecks(facts)
        found += facts.diagnosis?.settings ?? []
        found += self.lingering(facts)
        found += self.modes(facts)
        found += self.network(facts)
        found += self.discovery(facts)
        found += self.responders(facts)
        found += self.multicast(facts)
        found += self.taken(facts)
        found += self.reach(facts)
        found += self.loss(facts)
        found += self.narrow(facts)
        found += self.clock(facts)
        found += self.dials(facts)
        found += self.versions(facts)
        found += self.sites(facts)
        found += self.disk(facts)
        found += self.quota(facts)
        found += self.database(facts)
        return found + self.alerts(facts)
    }

    /// What is no fault, and worth knowing about what was found.
    package static func notes(_ facts: DiagnosisFacts) -> [String] {
        [
            self.reachAge(facts), self.otherNetworks(facts), self.sharing(facts),
            self.encryption(facts), self.keyring(facts),
        ].compactMap { $0 }
    }

    /// A lock protects only some of what is on a disk.
    private static func encryption(_ facts: DiagnosisFacts) -> String? {
        guard let locked = facts.locked else { return nil }
        let disk = "the disk under \(locked.folder)"
        return switch locked.isEncrypted {
        case true?: "\(disk) is encrypted by dm-crypt"
        case false?:
            "\(disk) is not encrypted by dm-crypt: a thief can read texts of open rooms, names and times "
                + "on it, lock or not"
        case nil: "it cannot be told whether \(disk) is encrypted"
        }
    }

    /// A way in that a user may have forgotten.
    private static func keyring(_ facts: DiagnosisFacts) -> String? {
        guard facts.locked?.keyring?.state == .set else { return nil }
        return "the desktop's keyring has the key of this node, so your login password opens it "
            + "(stoa lock keyring off)"
    }

    /// Of what is wrong, all that may keep people from this machine, problems first: what the daemon looks for
    /// by itself once somebody is missed.
    package static func partings(_ facts: DiagnosisFacts) -> [Finding] {
        let found =
            self.network(facts) + self.discovery(facts) + self.multicast(facts)
            + self.reach(facts) + self.loss(facts) + self.dials(facts) + self.versions(facts)
            + self.responders(facts) + self.clock(facts)
        return found.filter { $0.severity == .problem } + found.filter { $0.severity == .warning }
    }

    private static func daemon(_ facts: DiagnosisFacts) -> [Finding] {
        switch facts.answer {
        case .answered: return []
        case .silent:
            return [
                Finding(
                    "daemon", .problem, "the daemon does not answer",
                    remedy: "\(self.log); if it hangs, systemctl --user restart stoad")
            ]
        case .locked:
            let text = "the node is locked: it sends and receives nothing"
            guard let keyring = facts.locked?.keyring, let why = keyring.why else {
                return [Finding("lock", .problem, text, remedy: "stoa unlock")]
            }
            return [
                Finding(
                    "lock", .problem, "\(text); \(why)", remedy: keyring.remedy ?? "stoa unlock")
            ]
        case .absent(let why, let remedy):
            if let words = facts.lastWords {
                return [
                    Finding(
                        "daemon", .problem, "the daemon could not start: \(words)",
                        remedy: "start it again when that is mended; stoad --check looks for "
                            + "damage in what is stored, stoad --check-config for mistakes in "
                            + "the settings")
                ]
            }
            guard let units = facts.units, units.areInstalled else {
                return [Finding("daemon", .problem, why, remedy: remedy)]
            }
            if units.hasFailed {
                return [
                    Finding(
                        "units", .problem, "the daemon failed to start",
                        remedy: "\(self.log), its settings: stoad --check-config, and what "
                            + "is stored: stoad --check; then systemctl --user restart stoad")
                ]
            }
            if !units.isListening {
                return [
                    Finding(
                        "units", .problem, "nothing starts the daemon: stoad.socket is not active",
                        remedy: "systemctl --user enable --now stoad.socket")
                ]
            }
            return [Finding("daemon", .problem, why, remedy: remedy)]
        }
    }

    private static func version(_ facts: DiagnosisFacts) -> [Finding] {
        guard let status = facts.status else { return [] }
        if let found = StoaVersion.difference(of: status.version, from: facts.version) {
            return [
                Finding(
                    "version", .warning, "the daemon runs as version \(found.text)",
                    remedy: found.remedy)
            ]
        }
        guard status.replaced else { return [] }
        return [
            Finding(
                "version", .warning,
                "the daemon still runs the program from before an upgrade",
                remedy: StoaVersion.restart)
        ]
    }

    /// Without the daemon's own checks nothing says that all is well.
    private static func ownChecks(_ facts: DiagnosisFacts) -> [Finding] {
        func finding(_ what: String, remedy: String = "") -> [Finding] {
            let log = "\(self.log); if that does not help, systemctl --user restart stoad"
            return [
                Finding(
                    "checks", .problem, "the daemon answers, but \(what)",
                    remedy: remedy.isEmpty ? log : remedy)
            ]
        }
        switch facts.ownChecks {
        case .done: return []
        case .late(let milliseconds):
            return finding("did not finish its own checks within \(milliseconds / 1_000) s")
        // A daemon of another version is found as such.
        case .unknown where !self.version(facts).isEmpty: return []
        case .unknown(let why, let remedy), .failed(let why, let remedy):
            return finding("its own checks failed: \(why)", remedy: remedy)
        }
    }

    private static func lingering(_ facts: DiagnosisFacts) -> [Finding] {
        guard facts.units?.startsAtLogin == true, facts.lingers == false, facts.isWithoutDesktop
        else { return [] }
        return [
            Finding(
                "linger", .warning, "the daemon ends when you log out",
                remedy: "loginctl enable-linger")
        ]
    }

    private static func modes(_ facts: DiagnosisFacts) -> [Finding] {
        facts.files.compactMap { file in
            if !file.isOwn {
                return Finding(
                    "modes", .problem, "\(file.path) belongs to another user",
                    remedy: "as root, chown it back to yourself")
            }
            guard file.mode & 0o077 != 0 else { return nil }
            return Finding(
                "modes", .problem, "others can \(file.isFolder ? "enter" : "read") \(file.path)",
                remedy: "chmod \(file.isFolder ? "700" : "600") \(TerminalText.word(file.path))")
        }
    }

    private static func network(_ facts: DiagnosisFacts) -> [Finding] {
        guard facts.hasNetwork == false, facts.status?.links ?? 0 == 0 else { return [] }
        return [
            Finding(
                "network", .problem, "no network interface is up",
                remedy: "connect this machine to the network: ip link")
        ]
    }

    private static func discovery(_ facts: DiagnosisFacts) -> [Finding] {
        guard let discovery = facts.status?.discovery else { return [] }
        if discovery.mode == "off" {
            guard facts.status?.links == 0 else { return [] }
            return [
                Finding(
                    "discovery", .warning, "discovery is off, and there are no links",
                    remedy: "name peers with Peer=, or remove Discovery=off from stoad.conf")
            ]
        }
        guard discovery.state.hasPrefix("failed: ") else { return [] }
        return [
            Finding(
                "discovery", .problem,
                "nobody can be found: \(discovery.state.dropFirst("failed: ".count))",
                remedy: discovery.backend == "system" && !facts.avahiRuns
                    ? "start Avahi (systemctl start avahi-daemon), or remove Discovery=system"
                    : "see the daemon's log: journalctl --user -u stoad")
        ]
    }

    /// Two that speak multicast DNS on one machine take answers from each other.
    private static func responders(_ facts: DiagnosisFacts) -> [Finding] {
        guard let discovery = facts.status?.discovery, discovery.mode != "off" else { return [] }
        var found: [Finding] = []
        if discovery.backend == "embedded", facts.avahiRuns {
            found.append(
                Finding(
                    "mdns", .warning,
                    "Avahi is running, and the daemon uses multicast DNS beside it",
                    remedy: discovery.mode == "embedded"
                        ? "remove Discovery=embedded from stoad.conf"
                        : "systemctl --user restart stoad"))
        }
        for name in facts.otherResponders {
            found.append(
                Finding(
                    "mdns", .warning, "\(name) uses multicast DNS on this machine too",
                    remedy: name.hasPrefix("systemd-resolve")
                        ? "set MulticastDNS=no in /etc/systemd/resolved.conf"
                        : "stop one of them: each answer reaches only one"))
        }
        return found
    }

    private static func clock(_ facts: DiagnosisFacts) -> [Finding] {
        guard let status = facts.status else { return [] }
        let remedy = "timedatectl set-ntp true"
        let offset = status.clockOffsetMilliseconds
        if offset.magnitude > Self.clockMilliseconds.magnitude {
            let own =
                "this machine's clock is \(offset.magnitude / 1_000) s "
                + (offset > 0 ? "behind " : "ahead of ")
            let linked = facts.peers.filter {
                $0.state == .linked && $0.clockOffsetMilliseconds != nil
            }
            // Of two nobody knows which is wrong.
            guard Set(linked.map { $0.person ?? $0.id }).count != 1 else {
                let text = own + "that of the one linked person"
                return [
                    Finding("clock", .problem, text, remedy: "correct the wrong one: \(remedy)")
                ]
            }
            return [
                Finding("clock", .problem, own + "those of most linked people", remedy: remedy)
            ]
        }
        return Self.few(facts.peers) { peer in
            guard peer.state == .linked, let offset = peer.clockOffsetMilliseconds,
                offset.magnitude > Self.clockMilliseconds.magnitude
            else { return nil }
            // Who shares no conversation has no name here.
            let name =
                peer.name.isEmpty ? peer.addresses.first.map(Self.host) ?? peer.id : peer.name
            return Finding(
                "clock", .warning,
                "\(name)'s clock is \(offset.magnitude / 1_000) s "
                    + "\(offset > 0 ? "ahead of" : "behind") this machine's",
                remedy: "ask them to correct it: \(remedy)")
        }
    }

    private static func disk(_ facts: DiagnosisFacts) -> [Finding] {
        guard let free = facts.freeBytes, free < Self.scarceBytes else { return [] }
        let isFull = free < Self.neededBytes
        let needed = Self.neededBytes >> 20
        return [
            Finding(
                "disk", isFull ? .problem : .warning,
                "\(isFull ? "the disk is full" : "the disk is nearly full"): "
                    + "\(free >> 20) MiB are left for \(facts.status?.dataDirectory ?? "Stoa"), and "
                    + (isFull
                        ? "Stoa needs \(needed) MiB to write messages"
                        : "files may not fit; messages need \(needed) MiB"),
                remedy:
                    "free some space there; stoa usage shows what Stoa uses, stoa retain keeps less"
            )
        ]
    }

    /// Where the daemon may use little more of the disk; what happens then has an alert of its own.
    private static func quota(_ facts: DiagnosisFacts) -> [Finding] {
        guard let found = facts.diagnosis, found.limit > 0,
            found.used >= found.limit / 10 * 9,
            facts.status?.alerts.contains(where: { $0.code == "storage" }) != true
        else { return [] }
        let shares = [("strangers", found.strangers), ("members of your realms", found.fellows)]
            .filter { $0.1.bytes > 0 }
            .map { "\($0.0) \($0.1.bytes >> 10) of at most \($0.1.limit >> 10) KiB" }
        return [
            Finding(
                "quota", .warning,
                "messages take \(found.used >> 10) of the \(found.limit >> 10) KiB that DiskLimit= "
                    + "allows"
                    + (shares.isEmpty ? "" : " (\(shares.joined(separator: ", ")))"),
                remedy:
                    "raise DiskLimit= in stoad.conf, or delete messages: stoa usage shows what takes "
                    + "space, stoa retain and stoa forget delete it")
        ]
    }

    private static func database(_ facts: DiagnosisFacts) -> [Finding] {
        guard let pages = facts.status?.scrub.damagedPages, pages > 0 else { return [] }
        return [
            Finding(
                "database", .problem,
                "\(pages) \(pages == 1 ? "page of the database is" : "pages of the database are") "
                    + "damaged",
                remedy: Self.repair)
        ]
    }

    /// What the daemon raised itself, but for what is found above with its remedy.
    private static func alerts(_ facts: DiagnosisFacts) -> [Finding] {
        guard let status = facts.status else { return [] }
        var found: Set = ["clock"]
        // Damage is also met where the scrub has not read yet.
        if status.scrub.damagedPages > 0 { found.insert("damage") }
        if facts.sites != nil { found.insert("sites") }
        return status.alerts.compactMap { alert in
            guard !found.contains(alert.code) else { return nil }
            let isWarning = ["newIncarnation", "missing", "otherDevice"].contains(alert.code)
            let remedy =
                switch alert.code {
                case "damage": Self.repair
                case "wrongClock":
                    "timedatectl set-ntp true; a machine whose clock has no battery needs a time "
                        + "server at each start"
                case "storage": "until then you can read messages, but send none"
                case "fileDamage":
                    "none, once a peer that has it is linked; check the disk if it happens again"
                case "missing": "ask whether their machine is on, and fix the other findings here"
                case "otherDevice":
                    "if the device is yours, do nothing; the alert clears within a day"
                default: "the alert clears when it is over: stoa status"
                }
            return Finding(
                alert.code, isWarning ? .warning : .problem, alert.text, remedy: remedy)
        }
    }

    /// The first findings of a kind, and how many there are.
    static func few<Element>(
        _ elements: [Element], _ finding: (Element) -> Finding?
    ) -> [Finding] {
        let found = elements.compactMap(finding)
        guard found.count > Self.listed, let last = found.last else { return found }
        var more = last
        more.text = "and \(found.count - Self.listed) more of this kind"
        return found.prefix(Self.listed) + [more]
    }
}
