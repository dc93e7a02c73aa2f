import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import Doctor
@testable import stoa

@Suite("The doctor on the command line", .timeLimit(.minutes(5)))
struct DoctorTests {
    /// A daemon that is as it should be, but for what `change` makes of its status.
    ///
    /// - Parameters:
    ///   - refused: a method that is not for whoever asks.
    ///   - odd: a method that it does something else about.
    private static func daemon(
        refusing refused: String? = nil, odd: String? = nil, _ steps: [FakeDaemon.Step] = [],
        _ change: (inout StatusMethod.Result) -> Void = { _ in }
    ) throws -> FakeDaemon {
        var status = StatusMethod.Result {
            $0.version = StoaVersion.text
            $0.id = CommandTests.id
            $0.person = CommandTests.id
            $0.incarnation = "0000000000000005"
            $0.links = 1
            $0.dataDirectory = "/nonexistent"
            $0.discovery.mode = "off"
        }
        change(&status)
        let said = status
        return try FakeDaemon { request in
            if request.method == refused {
                return [.failure(.refused("it is not yours", reason: "ownerOnly", remedy: "ask"))]
            }
            switch request.method {
            case odd: return steps
            case "status": return [.result(said.json)]
            case "diagnose": return [.result(DiagnoseMethod.Result().json)]
            default: return [.result(["items": []])]
            }
        }
    }

    @Test("says that all is well and nothing else")
    func healthy() throws {
        let daemon = try Self.daemon { _ in }
        let run = try CommandRun(["doctor"], daemon: daemon)
        #expect(run.output == "all is well\n" && run.errors == "" && run.code == .done)
        #expect(
            try CommandRun(["doctor", "--json"], daemon: daemon).output
                == "{\"healthy\":true,\"findings\":[]}\n")
        #expect(try CommandRun(["doctor", "--quiet"], daemon: daemon).output == "")
    }

    @Test(
        "looks for encryption on each way down to the disks, and says nothing of what it cannot see"
    )
    func encryption() throws {
        let folder = try TestFolder()
        func device(_ name: String, id: String = "", on below: [String] = []) throws -> String {
            let path = folder(name)
            try Files.makeDirectories("\(path)/dm")
            try Files.makeDirectories("\(path)/slaves")
            try Files.writeAtomically(Array("\(id)\n".utf8), to: "\(path)/dm/uuid", mode: 0o600)
            for other in below { symlink(folder(other), "\(path)/slaves/\(other)") }
            return path
        }
        let plain = try device("sda1")
        let crypt = try device("dm-0", id: "CRYPT-LUKS2-0123", on: ["sda1"])
        let volume = try device("dm-1", id: "LVM-0123", on: ["dm-0"])
        let mixed = try device("md0", on: ["dm-0", "sda1"])
        let circle = try device("dm-2", id: "LVM-4567", on: ["dm-2"])
        let loop = try device("loop0")
        try Files.makeDirectories("\(loop)/loop")
        try Files.writeAtomically([], to: "\(loop)/loop/backing_file", mode: 0o600)
        let found = [plain, crypt, volume, mixed, circle, loop, folder("missing")].map {
            DiskEncryption.isDone(device: $0, 8)
        }
        #expect(found == [false, true, true, false, nil, nil, nil])
        // Whatever this machine has, it is looked at.
        _ = DiskEncryption.isDone(under: folder.path)
        #expect(DiskEncryption.isDone(under: folder("missing")) == nil)
    }

    @Test("says beside a lock whether the disk is encrypted")
    func locked() throws {
        for word in [LockWord.open, .locked] {
            let run = try CommandRun(["doctor"], daemon: try Self.daemon { $0.lock = word })
            #expect(
                run.output.contains("note: it cannot be told whether the disk under /nonexistent"))
            #expect(run.output.contains(word == .open ? "all is well" : "problem (lock): "))
        }
    }

    @Test("an answer that cannot be read is never taken for a healthy one")
    func garbled() throws {
        let daemon = try FakeDaemon { _ in [.result(["version": 3])] }
        let run = try CommandRun(["doctor"], daemon: daemon)
        #expect(run.output.hasPrefix("problem (daemon): ") && run.status == 2)
        #expect(run.output.contains("its status cannot be read"))
    }

    @Test("whoever may not ask for all of it is told the rest, as the group of the socket is")
    func group() throws {
        for refused in ["peers", "dials", "refusals", "diagnose"] {
            let daemon = try Self.daemon(refusing: refused) { $0.version = "0.0.1" }
            let run = try CommandRun(["doctor"], daemon: daemon)
            #expect(run.output.hasPrefix("warning (version): ") && run.status == 1)
        }
        let stranger = try CommandRun(["doctor"], daemon: Self.daemon(refusing: "status") { _ in })
        #expect(stranger.output.hasPrefix("problem (daemon): it is not yours"))
    }

    @Test("a daemon that answers, and fails when it is to look itself, is never taken for healthy")
    func failed() throws {
        let busy = RPCError(.busy, "there is too much to do", reason: "busy", remedy: "ask later")
        let outcomes: [([FakeDaemon.Step], String, String)] = [
            ([.close], "the daemon closed the connection", "journalctl --user -u stoad"),
            ([.failure(busy)], "there is too much to do", "ask later"),
            (
                [.failure(.methodNotFound("diagnose"))], "there is no method",
                "systemctl --user restart stoad"
            ),
            (
                [.result(["port": "none"])], "its report cannot be read",
                "journalctl --user -u stoad"
            ),
        ]
        for method in ["refusals", "diagnose"] {
            // Of the list each element is read by itself.
            for (steps, why, next) in outcomes.dropLast(method == "diagnose" ? 0 : 1) {
                let daemon = try Self.daemon(odd: method, steps)
                let run = try CommandRun(["doctor"], daemon: daemon)
                let begin = "problem (checks): the daemon answers, but its own checks failed: "
                #expect(run.output.hasPrefix(begin + why) && run.status == 2)
                #expect(run.output.contains(next) && run.output.hasSuffix("\n1 problem\n"))
            }
        }
        let json = try CommandRun(
            ["doctor", "--json"], daemon: Self.daemon(odd: "diagnose", [.close]))
        #expect(json.status == 2)
        #expect(json.output.hasPrefix("{\"healthy\":false,\"findings\":[{\"check\":\"checks\","))
    }

    @Test(
        "what a daemon of another version does not know is said once: that it is of another version"
    )
    func older() throws {
        for steps in [
            [.failure(.methodNotFound("diagnose"))], [.result(["port": "none"])],
        ] as [[FakeDaemon.Step]] {
            let daemon = try Self.daemon(odd: "diagnose", steps) { $0.version = "0.0.1" }
            let run = try CommandRun(["doctor"], daemon: daemon)
            #expect(run.output.hasPrefix("warning (version): "))
            #expect(run.output.hasSuffix("\n1 warning\n") && run.status == 1)
        }
    }

    @Test("a daemon that answers, and does not come to the end of its own checks")
    func late() throws {
        for (method, answer) in [("diagnose", DiagnosisFacts.Answer.answered), ("peers", .silent)] {
            let daemon = try Self.daemon(odd: method)
            let console = Console(
                input: FileDescriptor(owning: dup(0)), output: FileDescriptor(owning: dup(1)),
                errors: FileDescriptor(owning: dup(2)), environment: [:])
            var options = GlobalOptions()
            // What a busy machine takes for the status, which does come.
            if method == "peers" { options.timeoutMilliseconds = 5_000 }
            let context = CommandContext(
                console: console, options: options, environment: ["STOA_SOCKET": daemon.path])
            let facts = try FactGathering(context, checkMilliseconds: 200).facts()
            #expect(facts.answer == answer)
            // Of a daemon that does not answer at all nothing more is asked.
            #expect(facts.ownChecks == (answer == .silent ? .done : .late(milliseconds: 200)))
            #expect(
                Diagnosis.findings(facts).count { $0.check == "checks" }
                    == (answer == .silent ? 0 : 1))
        }
    }

    @Test(
        "looks at the files of its own user's daemon, and of no other's",
        .enabled(if: geteuid() == 0, "only root gives files away"))
    func othersFiles() throws {
        let folder = try TestFolder()
        try #require(chmod(folder.path, 0o755) == 0)
        let daemon = try Self.daemon { $0.dataDirectory = folder.path }
        try #require(chown(daemon.path, 65_534, 65_534) == 0)
        #expect(!(try CommandRun(["doctor"], daemon: daemon).output.contains("(modes)")))
        try #require(chown(daemon.path, 0, 0) == 0)
        let own = try CommandRun(["doctor"], daemon: daemon).output
        #expect(own.contains("problem (modes): others can enter \(folder.path)\n"))
    }

    @Test("says what is wrong, what to do, and how much of it there is")
    func findings() throws {
        let daemon = try Self.daemon {
            $0.version = "0.0.1"
            $0.scrub.damagedPages = 1
        }
        let run = try CommandRun(["doctor"], daemon: daemon)
        #expect(
            run.output == """
                warning (version): the daemon runs as version 0.0.1, older than this stoa \
                \(StoaVersion.text)
                  systemctl --user restart stoad
                problem (database): 1 page of the database is damaged
                  systemctl --user stop stoad, then stoad --repair; and check the disk
                1 problem, 1 warning

                """)
        let json = try CommandRun(["doctor", "--json"], daemon: daemon).output
        #expect(json.hasPrefix("{\"healthy\":false,\"findings\":[{\"check\":\"version\","))
        #expect(json.contains("\"severity\":\"problem\""))
    }

    @Test("ends with 1 for warnings and 2 for problems, also where nothing is printed")
    func exitCodes() throws {
        func status(_ words: [String], _ daemon: FakeDaemon?) throws -> Int32 {
            try CommandRun(words, daemon: daemon).status
        }
        #expect(try status(["doctor", "--quiet"], Self.daemon { _ in }) == 0)
        #expect(try status(["doctor", "--quiet"], Self.daemon { $0.version = "0.0.1" }) == 1)
        #expect(try status(["doctor"], Self.daemon { $0.scrub.damagedPages = 1 }) == 2)
        let absent = ["doctor", "--quiet", "--socket", "/nonexistent/control.sock"]
        #expect(try status(absent, nil) == 2)
    }

    @Test("who listens on a port: the account, and the program where that may be seen")
    func portHolders() {
        func line(_ port: String, _ state: String, _ user: Int) -> String {
            "  0: 0100007F:\(port) 00000000:0000 \(state) 00000000:00000000 00:00000000 00000000 "
                + "\(user) 0 81 1\n"
        }
        let table =
            line("1004", "0A", 1_001) + line("1004", "01", 1_002) + line("1005", "0A", 9)
        func holder(_ port: UInt16, _ program: String?) -> String? {
            SocketHolders(accounts: "ben:x:1001:1::/:/\n") { _ in program }
                .holder(of: SocketHolders.sockets(of: port, in: table, isTCP: true))
        }
        #expect(holder(4_100, nil) == "ben")
        #expect(holder(4_100, "stoad, process 7") == "ben (stoad, process 7)")
        #expect(holder(4_101, nil) == "user 9")
        #expect(holder(4_102, nil) == nil)
    }

    @Test("the system's accounts that hold the port of multicast DNS, without Avahi and people")
    func holders() {
        let head =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
        func line(_ port: String, _ user: Int, inode: Int = 1) -> String {
            "  1: 00000000:\(port) 00000000:0000 07 00000000:00000000 00:00000000 00000000 \(user) 0 "
                + "\(inode) 2\n"
        }
        let accounts =
            "root:x:0:0::/:/bin/sh\navahi:x:107:1::/:/\nsystemd-resolve:x:996:1::/:/\nrobot:x:995:1::/:/\nada:x:1000:1::/:/\n"
        func names(_ lines: String, own: UInt32 = 1_000) -> [String] {
            let holders = SocketHolders(accounts: accounts) {
                $0 == "77" ? "mdnsd, process 5" : nil
            }
            return MulticastHolders.names(sockets: head + lines, holders, own: own) {
                $0 == "robot"
            }
        }
        #expect(names("") == [])
        // Avahi, people, other ports, whoever runs all that is everybody's, and oneself.
        #expect(names(line("14E9", 107)) == [])
        #expect(names(line("14E9", 1_000), own: 1_001) == [])
        #expect(names(line("0035", 996)) == [])
        #expect(names(line("14E9", 0)) == [])
        #expect(names(line("14E9", 996), own: 996) == [])
        #expect(names(line("14E9", 996) + line("14E9", 996)) == ["systemd-resolve"])
        // The program is named where that may be seen, also root's.
        #expect(
            names(line("14E9", 0, inode: 77) + line("14E9", 996))
                == ["root (mdnsd, process 5)", "systemd-resolve"])
        // An account of this machine that runs a daemon of Stoa, too.
        #expect(names(line("14E9", 995)) == [])
        #expect(names(line("14E9", 995) + line("14E9", 996)) == ["systemd-resolve"])
        #expect(names("garbage\n1: 2:14E9 3 4 5 6 7 x\n") == [])
    }
}
