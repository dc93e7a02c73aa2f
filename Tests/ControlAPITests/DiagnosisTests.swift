import ControlAPI
import Testing

@Suite("What the doctor makes of what is known")
struct DiagnosisTests {
    private static let status = StatusMethod.Result {
        $0.version = StoaVersion.text
        $0.links = 1
        $0.dataDirectory = "/d"
        $0.discovery = StatusMethod.Discovery {
            $0.mode = "auto"
            $0.backend = "system"
            $0.state = "announced"
        }
    }

    /// A healthy machine with somebody linked.
    private static let healthy: DiagnosisFacts = {
        var facts = DiagnosisFacts()
        facts.status = Self.status
        facts.freeBytes = 1 << 30
        facts.units = DiagnosisFacts.Units(
            areInstalled: true, isListening: true, hasFailed: false, startsAtLogin: true)
        facts.lingers = true
        facts.hasNetwork = true
        facts.avahiRuns = true
        facts.files = [
            DiagnosisFacts.PrivateFile(path: "/d", mode: 0o700, isOwn: true, isFolder: true),
            DiagnosisFacts.PrivateFile(path: "/d/key", mode: 0o600, isOwn: true, isFolder: false),
        ]
        facts.peers = [
            PeersMethod.Peer {
                $0.id = "a"
                $0.name = "ada"
                $0.tier = .known
                $0.state = .linked
                $0.clockOffsetMilliseconds = 59_000
            }
        ]
        return facts
    }()

    /// What is found where one thing is otherwise.
    private static func findings(_ change: (inout DiagnosisFacts) -> Void) -> [Finding] {
        var facts = Self.healthy
        change(&facts)
        return Diagnosis.findings(facts)
    }

    private static func only(_ change: (inout DiagnosisFacts) -> Void) throws -> Finding {
        let found = Self.findings(change)
        try #require(found.count == 1, "\(found)")
        #expect(!found[0].text.isEmpty && !found[0].remedy.isEmpty)
        return found[0]
    }

    @Test("nothing where all is well, and nothing where nothing is known")
    func healthyMachine() {
        #expect(Self.findings { _ in } == [])
        #expect(Diagnosis.findings(DiagnosisFacts()) == [])
    }

    @Test("a daemon that is not there, by what should start it")
    func daemon() throws {
        func absent(_ change: (inout DiagnosisFacts) -> Void) throws -> Finding {
            try Self.only {
                $0.status = nil
                $0.answer = .absent(why: "no daemon listens", remedy: "start it")
                change(&$0)
            }
        }
        let alone = Finding("daemon", .problem, "no daemon listens", remedy: "start it")
        #expect(try absent { $0.units = nil } == alone)
        #expect(try absent { $0.units?.areInstalled = false } == alone)
        #expect(try absent { _ in } == alone)
        let told = try absent { $0.lastWords = "/d/stoa.db is damaged" }
        #expect(told.check == "daemon" && told.text.hasSuffix("start: /d/stoa.db is damaged"))
        #expect(told.remedy.contains("stoad --check "))
        let failed = try absent { $0.units?.hasFailed = true }
        #expect(failed.check == "units" && failed.remedy.contains("journalctl"))
        let closed = try absent { $0.units?.isListening = false }
        #expect(closed.check == "units" && closed.remedy.contains("enable --now stoad.socket"))
        let silent = try Self.only { $0.answer = .silent }
        #expect(silent.check == "daemon" && silent.text == "the daemon does not answer")
        let locked = try Self.only { $0.answer = .locked }
        #expect(locked.check == "lock" && locked.remedy == "stoa unlock")
        let refused = try Self.only { facts in
            facts.answer = .locked
            facts.locked = .init(folder: "/d")
            facts.locked?.keyring = StatusMethod.Keyring {
                ($0.state, $0.why, $0.remedy) = (.refused, "the keyring is locked", "unlock it")
            }
        }
        #expect(refused.text.hasSuffix("; the keyring is locked") && refused.remedy == "unlock it")
    }

    @Test("where there is a lock, a note says whether the disk is encrypted; that is never a fault")
    func encryption() {
        var facts = Self.healthy
        #expect(Diagnosis.notes(facts).isEmpty)
        for (isEncrypted, words) in [
            (true, "is encrypted by dm-crypt"), (false, "is not encrypted by dm-crypt"),
            (nil, "cannot be told"),
        ] as [(Bool?, String)] {
            facts.locked = .init(folder: "/home/ada/stoa")
            facts.locked?.isEncrypted = isEncrypted
            let notes = Diagnosis.notes(facts)
            #expect(notes.count == 1 && notes[0].contains("the disk under /home/ada/stoa"))
            #expect(notes[0].contains(words))
            #expect(Diagnosis.findings(facts).isEmpty)
        }
    }

    @Test("a keyring that opens the node at its next start is noted")
    func keyring() {
        var facts = Self.healthy
        facts.locked = .init(folder: "/d")
        facts.locked?.keyring = StatusMethod.Keyring()
        #expect(Diagnosis.notes(facts).contains { $0.contains("stoa lock keyring off") })
        facts.locked?.keyring?.state = .passedOver
        #expect(!Diagnosis.notes(facts).contains { $0.contains("keyring") })
        #expect(Diagnosis.findings(facts).isEmpty)
    }

    @Test("what the daemon has found wrong with its settings is told as it says it")
    func settings() throws {
        let wrong = Finding("settings", .problem, "stoad.conf:3: no", remedy: "do")
        let found = try Self.only { facts in
            facts.diagnosis = DiagnoseMethod.Result { $0.settings = [wrong] }
        }
        #expect(found == wrong)
    }

    @Test("a daemon that answers, and says nothing of what it is to find out itself")
    func ownChecks() throws {
        let late = try Self.only { $0.ownChecks = .late(milliseconds: 13_000) }
        #expect(late.check == "checks" && late.severity == .problem)
        #expect(late.text == "the daemon answers, but did not finish its own checks within 13 s")
        #expect(late.remedy.contains("journalctl --user -u stoad"))
        #expect(late.remedy.contains("systemctl --user restart stoad"))
        let failed = try Self.only { $0.ownChecks = .failed(why: "it is busy", remedy: "wait") }
        #expect(
            failed
                == Finding(
                    "checks", .problem,
                    "the daemon answers, but its own checks failed: it is busy", remedy: "wait"
                ))
        let silent = try Self.only { $0.ownChecks = .failed(why: "it is busy", remedy: "") }
        #expect(silent.remedy == late.remedy)
        // Who is of another version is said to be so.
        for version in [StoaVersion.text, "0.0.1"] {
            let unknown = try Self.only {
                $0.status?.version = version
                $0.ownChecks = .unknown(why: "there is no method", remedy: "restart it")
            }
            #expect(unknown.check == (version == "0.0.1" ? "version" : "checks"))
        }
    }

    @Test("a daemon that runs on after an upgrade to the same version, and what restarts it")
    func replaced() throws {
        let found = try Self.only { $0.status?.replaced = true }
        #expect(found.check == "version" && found.severity == .warning)
        #expect(found.text == "the daemon still runs the program from before an upgrade")
        #expect(found.remedy == "systemctl --user restart stoad")
    }

    @Test("a daemon of another version, and which of the two is to go")
    func version() throws {
        let older = try Self.only { $0.status?.version = "0.0.1" }
        #expect(older.check == "version" && older.severity == .warning)
        #expect(older.text.contains("0.0.1, older than this stoa \(StoaVersion.text)"))
        #expect(older.remedy == "systemctl --user restart stoad")
        let newer = try Self.only { $0.status?.version = "9.0.0" }
        #expect(newer.text.contains("newer") && newer.remedy == "use the stoa that came with it")
        let odd = try Self.only { $0.status?.version = "odd" }
        #expect(odd.text == "the daemon runs as version odd, and this is stoa \(StoaVersion.text)")
        #expect(odd.remedy == "systemctl --user restart stoad")
    }

    @Test("a daemon that ends with a log-out, where that was not meant")
    func linger() throws {
        let found = try Self.only {
            $0.lingers = false
            $0.isWithoutDesktop = true
        }
        #expect(found.check == "linger" && found.remedy == "loginctl enable-linger")
        #expect(Self.findings { $0.lingers = false } == [])
        let byHand = Self.findings {
            $0.lingers = false
            $0.isWithoutDesktop = true
            $0.units?.startsAtLogin = false
        }
        #expect(byHand == [])
    }

    @Test("files that others can read, enter or own")
    func modes() throws {
        #expect(
            try Self.only { $0.files[0].mode = 0o710 }
                == Finding("modes", .problem, "others can enter /d", remedy: "chmod 700 /d"))
        #expect(
            try Self.only { $0.files[1].mode = 0o604 }
                == Finding("modes", .problem, "others can read /d/key", remedy: "chmod 600 /d/key"))
        let quoted = try Self.only {
            $0.files[0].path = "/my files; reboot"
            $0.files[0].mode = 0o755
        }
        #expect(quoted.remedy == "chmod 700 '/my files; reboot'")
        #expect(
            try Self.only { $0.files[1].isOwn = false }.text == "/d/key belongs to another user")
    }

    @Test("no network, unless somebody is linked all the same")
    func network() throws {
        let found = try Self.only {
            $0.hasNetwork = false
            $0.status?.links = 0
        }
        #expect(found.check == "network")
        #expect(Self.findings { $0.hasNetwork = false } == [])
    }

    @Test("discovery that is off or has failed, and two that speak multicast DNS")
    func discovery() throws {
        let off = try Self.only {
            $0.status?.discovery.mode = "off"
            $0.status?.links = 0
        }
        #expect(off.check == "discovery" && off.severity == .warning)
        #expect(Self.findings { $0.status?.discovery.mode = "off" } == [])
        let failed = try Self.only {
            $0.status?.discovery.state = "failed: no bus"
            $0.avahiRuns = false
        }
        #expect(failed.text == "nobody can be found: no bus")
        #expect(failed.remedy.contains("systemctl start avahi-daemon"))
        #expect(
            try Self.only { $0.status?.discovery.state = "failed: x" }.remedy.contains("journalctl")
        )
        let beside = try Self.only { $0.status?.discovery.backend = "embedded" }
        #expect(beside.check == "mdns" && beside.remedy == "systemctl --user restart stoad")
        let chosen = try Self.only {
            $0.status?.discovery.backend = "embedded"
            $0.status?.discovery.mode = "embedded"
        }
        #expect(chosen.remedy == "remove Discovery=embedded from stoad.conf")
        let second = try Self.only { $0.otherResponders = ["systemd-resolve"] }
        #expect(second.text == "systemd-resolve uses multicast DNS on this machine too")
        #expect(second.remedy.contains("MulticastDNS=no"))
    }

    @Test("a clock that is not that of the others, and whose it is")
    func clock() throws {
        let own = try Self.only {
            $0.status?.clockOffsetMilliseconds = -120_000
            $0.peers.append($0.peers[0])
            $0.peers[1].id = "another"
        }
        #expect(own.text.contains("clock is 120 s ahead of those of most linked people"))
        #expect(own.severity == .problem && own.remedy == "timedatectl set-ntp true")
        #expect(
            try Self.only { $0.status?.clockOffsetMilliseconds = 60_001 }.text.contains("behind"))
        let either = try Self.only {
            $0.status?.clockOffsetMilliseconds = 120_000
            $0.peers[0].clockOffsetMilliseconds = 120_000
        }
        #expect(either.text == "this machine's clock is 120 s behind that of the one linked person")
        #expect(either.remedy == "correct the wrong one: timedatectl set-ntp true")
        let other = try Self.only { $0.peers[0].clockOffsetMilliseconds = 3_600_000 }
        #expect(other.text == "ada's clock is 3600 s ahead of this machine's")
        let away = Self.findings {
            $0.peers[0].clockOffsetMilliseconds = .min
            $0.peers[0].state = .away
        }
        #expect(away == [])
    }

    @Test(
        "dials that fail, by how they do and whether somebody is missed",
        arguments: [
            ("timedOut", "", "reach", "4100"), ("noRoute", "", "subnet", "ip route get 10.0.0.7"),
            ("refused", "", "reach", "stoad is running there"),
            ("wrongRealm", "", "realm", "realm join"),
            ("rejected", "no common version: the peer speaks 3 to 3", "protocol", "upgrade"),
            ("wrongKey", "another key answered", "key", "Peer="),
            ("otherNetwork", "", "subnet", "stoa connect 10.0.0.7:4100"),
        ])
    func dials(failure: String, detail: String, check: String, remedy: String) throws {
        let dial = DialsMethod.Dial {
            $0.addresses = ["10.0.0.7:4100"]
            $0.peer = "a"
            $0.failure = failure
            $0.detail = detail
        }
        let found = try Self.only { $0.dials = [dial] }
        #expect(found.check == check)
        #expect(found.text.contains("ada (10.0.0.7:4100)"))
        #expect(found.remedy.contains(remedy))
        // What is announced need not be there any more.
        #expect(found.text.contains("its machine is off") == (failure == "timedOut"))
        // Who is only remembered may be switched off.
        #expect(
            Self.findings {
                $0.dials = [dial]
                $0.dials[0].source = .remembered
            } == [])
    }

    @Test("strangers in other realms, or that refuse, are no news while somebody is linked")
    func strangers() throws {
        for failure in ["refused", "wrongRealm"] {
            let dial = DialsMethod.Dial {
                $0.addresses = ["[fe80::1%eth0]:4100"]
                $0.failure = failure
            }
            #expect(Self.findings { $0.dials = [dial] } == [])
            let alone = try Self.only {
                $0.dials = [dial]
                $0.status?.links = 0
            }
            #expect(alone.text.contains("[fe80::1%eth0]:4100"))
            let own = Self.findings {
                $0.dials = [dial]
                $0.status?.links = 0
                $0.addresses = ["fe80::1%eth0"]
            }
            #expect(own.isEmpty == (failure == "refused"))
        }
        // One of this machine that has just ended, with an address that is no more.
        let ended = Self.findings {
            $0.dials = [
                DialsMethod.Dial {
                    $0.addresses = ["10.0.0.1:4100", "[fe80::1%eth0]:4100"]
                    $0.failure = "noRoute"
                }
            ]
            $0.addresses = ["10.0.0.1"]
        }
        #expect(ended == [])
    }

    @Test("of many findings of one kind the first eight, and how many more")
    func many() {
        let dials = (1...20).map { number in
            DialsMethod.Dial {
                $0.addresses = ["10.0.0.\(number):4100"]
                $0.failure = "timedOut"
            }
        }
        let found = Self.findings { $0.dials = dials }
        #expect(found.count == 9)
        #expect(found.last?.text == "and 12 more of this kind")
    }

    @Test("a disk that is nearly full or full, and a database that is damaged")
    func disk() throws {
        let scarce = try Self.only { $0.freeBytes = 200 << 20 }
        #expect(scarce.severity == .warning)
        #expect(
            scarce.text == "the disk is nearly full: 200 MiB are left for /d, and files may not "
                + "fit; messages need 8 MiB")
        // What Stoa needs is less.
        #expect(try Self.only { $0.freeBytes = 19 << 20 }.severity == .warning)
        let full = try Self.only { $0.freeBytes = 7 << 20 }
        #expect(full.severity == .problem)
        #expect(
            full.text == "the disk is full: 7 MiB are left for /d, and Stoa needs 8 MiB to write "
                + "messages")
        let damaged = try Self.only { $0.status?.scrub.damagedPages = 2 }
        #expect(damaged.check == "database" && damaged.remedy.contains("stoad --repair"))
    }

    @Test("what the daemon raised itself, once")
    func alerts() throws {
        func alert(_ code: String) -> StatusMethod.Alert {
            StatusMethod.Alert {
                $0.code = code
                $0.text = "look"
            }
        }
        let raised = try Self.only { $0.status?.alerts = [alert("shutOut"), alert("clock")] }
        #expect(raised.check == "shutOut" && raised.text == "look")
        let clock = try Self.only { $0.status?.alerts = [alert("wrongClock")] }
        #expect(clock.severity == .problem && clock.remedy.contains("timedatectl"))
        let other = try Self.only { $0.status?.alerts = [alert("otherDevice")] }
        #expect(other.severity == .warning && other.remedy.contains("if the device is yours"))
        let met = try Self.only { $0.status?.alerts = [alert("damage")] }
        #expect(met.check == "damage" && met.severity == .problem)
        #expect(met.text == "look" && met.remedy.contains("stoad --repair"))
        let scrubbed = try Self.only {
            $0.status?.alerts = [alert("damage")]
            $0.status?.scrub.damagedPages = 2
        }
        #expect(scrubbed.check == "database")
    }
}
