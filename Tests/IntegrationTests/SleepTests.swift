import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("a lock for sleep", Surroundings.systemBus) struct SleepTests {
        /// A systemd-logind that says what it is told to, on a bus of the system of its own.
        private final class Logind {
            let bus: PrivateBus
            private let process: ChildProcess

            init(in scratch: Scratch) throws {
                self.bus = try PrivateBus(in: scratch.folder("system"))
                self.process = try ChildProcess(
                    [
                        "/usr/bin/python3",
                        "\(Surroundings.project)/Tests/System/Driver/logind.py",
                    ],
                    environment: ProcessEnvironment.variables().merging(
                        ["DBUS_SYSTEM_BUS_ADDRESS": self.bus.address]) { $1 },
                    errors: scratch.path + "/logind", wantsInput: true)
                guard try self.process.nextLine()?.hasPrefix("ready") == true else {
                    let said = try Files.read(scratch.path + "/logind", limitBytes: 65_536)
                    throw Broken("no logind: \(String(decoding: said, as: UTF8.self))")
                }
            }

            /// Has it do something, and waits until that is done.
            func act(_ line: String) throws {
                try self.process.say(line)
                let said = try self.process.nextLine()
                guard said?.split(separator: " ").first == line.split(separator: " ").first else {
                    throw Broken("logind: \(line): \(said ?? "its end")")
                }
            }
        }

        /// A node that is to be locked for sleep, and the file of the passphrase that it may get.
        private static func node(
            in scratch: Scratch, bus: String, isOn: Bool = true
        ) throws -> (node: Node, phrase: String) {
            let phrase = scratch.path + "/phrase"
            try Files.writeAtomically(
                Array("plover quartz hinterland fuchsia anvil\n".utf8), to: phrase, mode: 0o600)
            let node = try Node.onLoopback("Ada", in: scratch)
            node.surroundings = ["DBUS_SYSTEM_BUS_ADDRESS": bus]
            if isOn { node.add(["--lock-on-sleep", "yes"]) }
            try node.start()
            return (node, phrase)
        }

        private static func setLock(_ node: Node, _ phrase: String) throws {
            _ = try node.stoa("lock", "set", "--without-backup", "--new-passphrase-file", phrase)
            node.reconnect()
        }

        private static func awaitLocked(_ node: Node) throws {
            node.reconnect()
            try node.awaitReadiness()
            #expect(try node.call("status")["lock"] == "locked")
        }

        private static func unlock(_ node: Node, _ phrase: String) throws {
            _ = try node.stoa("unlock", "--passphrase-file", phrase)
            node.reconnect()
            try node.awaitReadiness()
            #expect(try node.call("status")["lock"] == "open")
        }

        @Test("the machine sleeps once the keys are forgotten, and again after the next unlock")
        func sleep() throws {
            let scratch = try Scratch()
            let logind = try Logind(in: scratch)
            let (node, phrase) = try Self.node(in: scratch, bus: logind.bus.address)
            _ = try node.stoa("create", "hiddenroom", "--secret")
            try Self.setLock(node, phrase)
            for _ in 0..<2 {
                try logind.act("held 1")
                try logind.act("sleep")
                // Sleep goes on as soon as nobody delays it: there must be nothing left by then.
                try logind.act("held 0")
                #expect(try !Node.has(Array("hiddenroom".utf8), in: node.memory()))
                try Self.awaitLocked(node)
                try logind.act("wake")
                try Self.unlock(node, phrase)
            }
            _ = try node.stoa("lock", "remove", "--passphrase-file", phrase)
            try logind.act("held 0")
            try node.stop()
        }

        @Test("the lock of the user's own session locks the node, nobody else's and no forged one")
        func session() throws {
            let scratch = try Scratch()
            let logind = try Logind(in: scratch)
            let (node, phrase) = try Self.node(in: scratch, bus: logind.bus.address)
            try Self.setLock(node, phrase)
            try logind.act("held 1")
            try logind.act("forge")
            try logind.act("lock \(ProcessEnvironment.userID + 1)")
            // Of a sleep that did not come about it is told, too.
            try logind.act("wake")
            #expect(try node.call("status")["lock"] == "open")
            try logind.act("lock \(ProcessEnvironment.userID)")
            try Self.awaitLocked(node)
            let lines = node.log.split(separator: "\n").filter { $0.contains("locking, ") }
            #expect(lines.count == 1 && lines[0].contains("the session was locked"), "\(lines)")
            try node.stop()
        }

        @Test("where it is off, or there is no lock, nothing is opened")
        func off() throws {
            let scratch = try Scratch()
            let path = "\(scratch.path)/system/bus"
            let listener = try UnixListener(path: path)
            let (node, phrase) = try Self.node(
                in: scratch, bus: "unix:path=\(path)", isOn: false)
            try Self.setLock(node, phrase)
            #expect(try node.call("status")["lock"] == "open")
            try node.stop()
            let another = try Scratch()
            let (other, _) = try Self.node(in: another, bus: "unix:path=\(path)")
            #expect(try other.call("status")["lock"] == nil)
            try other.stop()
            let ready = try waitUntilReadable([listener.descriptor.number], timeoutMilliseconds: 0)
            #expect(ready.isEmpty)
        }

        @Test("that cannot be seen coming is told in the log, and the node goes on")
        func absent() throws {
            let scratch = try Scratch()
            let (node, phrase) = try Self.node(
                in: scratch, bus: "unix:path=\(scratch.path)/none")
            try Self.setLock(node, phrase)
            #expect(node.log.contains("LockOnSleep has no effect: "))
            #expect(try node.call("status")["lock"] == "open")
            try node.stop()
            // A bus without logind.
            let bus = try PrivateBus(in: scratch.folder("system"))
            node.surroundings = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
            try node.start()
            try Self.unlock(node, phrase)
            try node.await("it is told") { node in
                _ = try node.call("status")
                return node.log.contains("sleep does not wait until this node is locked")
            }
            try node.stop()
        }
    }
}
