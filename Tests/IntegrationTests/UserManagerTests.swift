import Posix
import Testing

extension IntegrationTests {
    @Suite("under a user's service manager", Surroundings.labs) struct UserManagerTests {
        private static let users = [61_001, 61_002]
        /// The watchdog's time in this test, in place of the half minute of the unit; so long that a
        /// healthy daemon on a busy machine is not taken for one that hangs.
        private static let watchdogSeconds: UInt64 = 10

        /// The lab has a `/usr/local` of its own, and the machine's `/etc`.
        private static let places = ["PREFIX=/usr/local", "SYSCONFDIR=/usr/local/etc"]

        /// Installs what was built into the lab, as `make install` does.
        private static func installed() throws -> UserLab {
            let lab = try UserLab(users: Self.users)
            try lab.run(
                ["make", "-C", Surroundings.project, "install"] + Self.places
                    + ["PROGRAMS=\(Surroundings.programs())"])
            return lab
        }

        @Test("the lab's network has nothing in it but its own links")
        func ownLinks() throws {
            let lab = try UserLab(users: [Self.users[0]])
            let devices = try lab.run(Self.users[0], "cat", "/proc/net/dev").split(separator: "\n")
                .dropFirst(2).compactMap { $0.split(separator: ":").first }
                .map { String($0.filter { $0 != " " }) }
            #expect(Set(devices) == ["lo", "eth0", "cable"])
        }

        @Test("the units are clean, and the first call on the socket starts the daemon")
        func socketActivation() throws {
            let lab = try Self.installed()
            let user = Self.users[0]
            let verdict = try lab.run(
                user, "sh", "-c",
                "systemd-analyze --user verify /usr/local/lib/systemd/user/stoad.* 2>&1")
            #expect(verdict == "")
            try lab.run(user, "systemctl", "--user", "enable", "stoad.service")
            for unit in ["stoad.service", "stoad.socket"] {
                #expect(try lab.property(user, unit, "UnitFileState") == "enabled")
            }
            try lab.run(user, "systemctl", "--user", "start", "stoad.socket")
            #expect(try lab.property(user, "stoad.service", "ActiveState") == "inactive")
            let modes = try lab.run(
                user, "stat", "-c", "%a", "/run/user/\(user)/stoa",
                "/run/user/\(user)/stoa/control.sock")
            #expect(modes == "700\n600\n")

            let stopwatch = Stopwatch()
            let status = try lab.run(user, "stoa", "--json", "status")
            print("MEASURED first call: answered after \(stopwatch.milliseconds) ms")
            let home = try lab.home(of: user)
            #expect(status.contains("\"dataDirectory\":\"\(home)/.local/share/stoa\""))
            #expect(try lab.property(user, "stoad.service", "ActiveState") == "active")
            let process = try lab.property(user, "stoad.service", "MainPID")
            let restrictions = try lab.run(user, "cat", "/proc/\(process)/status")
            #expect(restrictions.contains("NoNewPrivs:\t1"))
            #expect(restrictions.contains("Seccomp:\t2"))
            // Nobody else may ask.
            try lab.run(
                Self.users[1], "stoa", "--socket", "/run/user/\(user)/stoa/control.sock",
                "status", expecting: 69)

            try lab.run(user, "systemctl", "--user", "stop", "stoad.service", "stoad.socket")
            #expect(try lab.property(user, "stoad.service", "Result") == "success")
            #expect(try lab.property(user, "stoad.service", "ActiveState") == "inactive")
            try lab.run(user, "stoa", "status", expecting: 69)
            try lab.run(["make", "-C", Surroundings.project, "uninstall"] + Self.places)
            let left = try lab.run(["find", "/usr/local", "-type", "f"])
            #expect(left == "")
        }

        @Test("the units keep the daemon from as much as Docs/Hardening.md says")
        func exposure() throws {
            let lab = try Self.installed()
            let units = "/usr/local/lib/systemd"
            for (scope, unit, threshold) in [
                ("--user", "\(units)/user/stoad.service", 65),
                ("--system", "\(units)/system/stoad@.service", 15),
            ] {
                let verdict = try lab.run(
                    Self.users[0], "sh", "-c",
                    "systemd-analyze \(scope) security --offline=true --no-pager "
                        + "--threshold=\(threshold) \(unit) 2>&1 || echo too much")
                #expect(verdict.contains("Overall exposure level"), "\(verdict)")
                #expect(!verdict.contains("too much"), "\(verdict)")
            }
        }

        @Test("keys that the manager hands over are used, and none is written")
        func credentials() throws {
            let lab = try Self.installed()
            let user = Self.users[0]
            let home = try lab.home(of: user)
            let data = "\(home)/.local/share/stoa"
            try lab.run(user, "systemctl", "--user", "enable", "--now", "stoad.service")
            let before = try lab.run(user, "stoa", "whois", "@me", "--json")
            try lab.run(user, "systemctl", "--user", "stop", "stoad.service", "stoad.socket")
            let unit = "\(home)/.config/systemd/user/stoad.service.d"
            let names = ["identity.key", "person.key", "sealing.key"]
            let lines = names.map { "LoadCredential=\($0):%%h/keys/\($0)\\n" }.joined()
            try lab.run(
                user, "sh", "-c",
                "mkdir -m 700 \(home)/keys && cd \(data) && mv \(names.joined(separator: " ")) "
                    + "\(home)/keys && mkdir -p \(unit) && printf '[Service]\\n\(lines)' "
                    + "> \(unit)/keys.conf")
            try lab.run(user, "systemctl", "--user", "daemon-reload")
            try lab.run(user, "systemctl", "--user", "start", "stoad.socket", "stoad.service")
            #expect(try lab.run(user, "stoa", "whois", "@me", "--json") == before)
            let left = try lab.run(user, "ls", data)
            #expect(names.allSatisfy { !left.contains($0) }, "\(left)")
        }

        @Test(
            "a passphrase that the manager hands over unlocks a start; one that was changed or is absent does not"
        )
        func passphrase() throws {
            let lab = try Self.installed()
            let user = Self.users[0]
            let home = try lab.home(of: user)
            let file = "\(home)/keys/safe.passphrase"
            func keep(_ text: String) throws {
                try lab.run(user, "sh", "-c", "printf '%s' '\(text)' > \(file)")
            }
            func restart() throws {
                try lab.run(user, "systemctl", "--user", "daemon-reload")
                try lab.run(user, "systemctl", "--user", "reset-failed", "stoad.service")
                try lab.run(user, "systemctl", "--user", "restart", "stoad.service")
            }
            func expect(_ lock: String) throws {
                try lab.await("the lock is \(lock)", .patient) {
                    // Between two runs it answers nothing.
                    try lab.run(user, "sh", "-c", "stoa status --json || true")
                        .contains("\"lock\":\"\(lock)\"")
                }
            }
            let right = "plover quartz hinterland fuchsia anvil"
            try lab.run(user, "mkdir", "-m", "700", "\(home)/keys")
            try keep(right)
            try lab.run(user, "systemctl", "--user", "enable", "--now", "stoad.service")
            try lab.run(user, "stoa", "create", "plans", "--secret")
            try lab.run(
                user, "stoa", "lock", "set", "--without-backup", "--new-passphrase-file", file)
            let unit = "\(home)/.config/systemd/user/stoad.service.d"
            let lines =
                "LoadCredential=safe.passphrase:%%h/keys/safe.passphrase\\n"
                + "StandardError=append:%%h/said"
            try lab.run(
                user, "sh", "-c",
                "mkdir -p \(unit) && printf '[Service]\\n\(lines)\\n' > \(unit)/lock.conf")
            try restart()
            try expect("open")
            // What was locked by hand stays so.
            try lab.run(user, "stoa", "lock")
            try expect("locked")

            try keep("plover quartz hinterland fuchsia hammer")
            try restart()
            try expect("locked")
            try lab.run(user, "stoa", "send", "&plans", "hello", expecting: 67)
            let said = try lab.run(["cat", "\(home)/said"])
            #expect(said.contains("safe.passphrase does not open the lock"), "\(said)")

            // The manager itself says that the file is not there, by EXIT_CREDENTIALS, and starts nothing.
            try lab.run(user, "rm", file)
            try lab.run(user, "systemctl", "--user", "restart", "stoad.service", expecting: 1)
            try lab.await("it is told", .patient) {
                try lab.property(user, "stoad.service", "ExecMainStatus") == "243"
            }
            try lab.run(user, "rm", "\(unit)/lock.conf")
            try restart()
            try expect("locked")
            try keep(right)
            try lab.run(user, "stoa", "unlock", "--passphrase-file", file)
            try expect("open")
        }

        @Test("a daemon that hangs is killed by the watchdog, starts again and has lost nothing")
        func watchdog() throws {
            let lab = try Self.installed()
            let user = Self.users[0]
            let folder = try lab.home(of: user) + "/.config/systemd/user/stoad.service.d"
            try lab.run(
                user, "sh", "-c",
                "mkdir -p \(folder) && printf '[Service]\\nWatchdogSec=%s\\n' "
                    + "\(Self.watchdogSeconds) > \(folder)/test.conf")
            try lab.run(user, "systemctl", "--user", "daemon-reload")
            try lab.run(user, "systemctl", "--user", "enable", "--now", "stoad.service")
            try lab.run(user, "stoa", "join", "agora")
            try lab.run(user, "stoa", "send", "agora", "before the hang")
            let process = try lab.property(user, "stoad.service", "MainPID")

            let stopwatch = Stopwatch()
            try lab.run(user, "kill", "-STOP", process)
            // The manager's time, one second until it starts again, and the start.
            let deadline = Deadline.fiveTimes(Self.watchdogSeconds * 1_000 + 1_500)
            try lab.await("it was restarted", deadline) {
                try lab.property(user, "stoad.service", "NRestarts") != "0"
                    && lab.property(user, "stoad.service", "ActiveState") == "active"
            }
            print("MEASURED watchdog: running again after \(stopwatch.milliseconds) ms")
            #expect(try lab.property(user, "stoad.service", "MainPID") != process)
            let history = try lab.run(user, "stoa", "history", "agora")
            #expect(history.contains("before the hang"))
            // Healthy, it is left alone for longer than the watchdog's time.
            let restarts = try lab.property(user, "stoad.service", "NRestarts")
            let followed = try lab.run(
                user, "sh", "-c", "timeout 25 stoa tail agora || test $? = 124")
            #expect(followed == "")
            #expect(try lab.property(user, "stoad.service", "NRestarts") == restarts)
        }

        @Test("two users of one machine see each other and talk")
        func twoUsers() throws {
            let lab = try Self.installed()
            let stopwatch = Stopwatch()
            for user in Self.users {
                try lab.run(user, "systemctl", "--user", "enable", "--now", "stoad.service")
                try lab.run(user, "stoa", "join", "agora")
            }
            for (user, other) in [(0, 1), (1, 0)] {
                try lab.await("user \(user) is linked to the other", .fiveTimes(2_000)) {
                    let peers = try lab.run(Self.users[user], "stoa", "--json", "peers")
                    return peers.contains("\"name\":\"u\(Self.users[other])\"")
                        && peers.contains("\"state\":\"linked\"")
                }
            }
            print("MEASURED two users: linked \(stopwatch.milliseconds) ms after the first start")
            let sent = try lab.run(
                Self.users[0], "stoa", "send", "agora", "hello", "--wait", "delivered")
            #expect(sent.contains("delivered to 1 peer"))
            let history = try lab.run(Self.users[1], "stoa", "history", "agora")
            #expect(history.contains("u\(Self.users[0]): hello"))
        }
    }
}
