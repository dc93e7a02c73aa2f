import ControlAPI
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("several devices") struct DeviceTests {
        /// Links a machine as a script would: the code from one line of JSON, the digits to its standard input.
        private static let script = """
            set -e
            mkfifo "$1/digits"
            $3 --json device link <"$1/digits" >"$1/said" &
            exec 3>"$1/digits"
            until [ -s "$1/said" ]; do sleep 0.02; done
            code=$(sed -n 's/^{"code":"\\([0-9]*\\)"}$/\\1/p' "$1/said")
            $2 --json device approve "$code" >"$1/check"
            sed -n 's/^{"check":"\\([0-9]*\\)"}$/\\1/p' "$1/check" >&3
            wait $!
            """

        /// Makes a machine another device of a person, as a script would; its daemon begins again.
        static func link(_ new: Node, to old: Node, in scratch: Scratch) throws {
            let programs = try Surroundings.programs()
            let folder = try scratch.folder("linking-\(new.name)")
            let key = try #require(try old.call("status")["id"]?.stringValue)
            let stoa = { (node: Node) in "\(programs)/stoa --socket \(node.socket)" }
            let script = Self.script.replacing("device link", with: "device link @\(key.prefix(8))")
            let exit = try ChildProcess(
                ["/bin/sh", "-c", script, "sh", folder, stoa(old), stoa(new)],
                environment: new.environment
            ).waitForExit()
            #expect(exit == .code(0))
            new.reconnect()
        }

        @Test(
            "a script links a device, which is the same person, and one that is revoked is nobody")
        func linked() throws {
            let scratch = try Scratch()
            let ben = try Node.onLoopback("Ben", in: scratch)
            try ben.start()
            let old = try Node.onLoopback("Ada", in: scratch, peers: [try ben.address()])
            try old.start()
            for node in [old, ben] { _ = try node.stoa("join", "agora") }
            _ = try old.stoa("send", "agora", "from-the-old")
            let new = try Node.onLoopback(
                "new", in: scratch, peers: [try old.address(), try ben.address()])
            try new.start()
            try new.await("both are linked") { try $0.list("peers").count == 2 }
            // Two could be meant, so the one is named.
            let refused = try new.call("status")
            #expect(refused["name"] == "new")
            try Self.link(new, to: old, in: scratch)

            #expect(try new.call("status")["person"] == old.call("status")["person"])
            let here = try #require(try new.call("status")["id"]?.stringValue)
            #expect(try new.stoa("device", "rename", "the laptop").contains("called the laptop"))
            try old.await("the other shows its name") { node in
                try node.list("devices").contains {
                    $0["id"]?.stringValue == here && $0["name"] == "the laptop"
                }
            }
            #expect(try old.stoa("device", "list").contains("the laptop"))
            _ = try old.stoa("device", "rename", "@\(here.prefix(8))", "a desk")
            try new.await("it has the name that the other gave it") {
                try $0.list("devices").contains { $0["here"] == true && $0["name"] == "a desk" }
            }
            try new.await("the room's past is there") { node in
                try node.texts(in: "agora").contains("from-the-old")
            }
            _ = try new.stoa("send", "agora", "from-the-new")
            for node in [old, ben] {
                try node.await("both texts") { try $0.texts(in: "agora").contains("from-the-new") }
            }
            let names = try ben.call("history", ["to": "agora"])["messages"]?.arrayValue?
                .filter { $0["text"]?.stringValue?.hasPrefix("from-") == true }
                .map { $0["authorName"] }
            #expect(names == ["Ada", "Ada"])

            // It stays so over a restart, and without the other one.
            try new.stop()
            try new.start()
            #expect(try new.call("status")["person"] == old.call("status")["person"])

            let device = try #require(try new.call("status")["id"]?.stringValue)
            #expect(
                try old.stoa("device", "revoke", "@\(device.prefix(8))", "--yes")
                    .contains("is not your device any more"))
            for node in [old, ben] {
                try node.await("nobody is linked with it") { node in
                    try !node.list("peers").contains {
                        $0["id"] == .string(device) && $0["state"] == "linked"
                    }
                }
            }
            #expect(try old.stoa("device", "list").contains("revoked"))
        }
    }
}
