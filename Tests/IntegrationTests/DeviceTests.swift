import ControlAPI
import Crypto
import Formats
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

        // Shows: device.cut
        @Test("a device that is revoked does nothing more in groups, also where none knew of it")
        func cutInGroup() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            let lost = try Node.onLoopback("lost", in: scratch, peers: [try ben.address()])
            try lost.start()
            try lost.await("it is linked") { try $0.list("peers").count == 1 }
            try Self.link(lost, to: ben, in: scratch)
            for node in [ada, ben, cleo] {
                try node.await("all know one another") { node in
                    Set(try node.list("peers").compactMap { $0["name"]?.stringValue })
                        .isSuperset(of: Set(["Ada", "Ben", "Cleo"]).subtracting([node.name]))
                }
            }
            _ = try ada.stoa("group", "create", "ops")
            for node in [ben, cleo] { try GroupTests.bring(node, to: "+ops", by: ada) }
            try lost.await("it is where its other device is") { try GroupTests.isIn($0) }
            _ = try ada.stoa("group", "admin", "+ops", ada.key(of: "@Ben"))
            try lost.await("it knows who is in") { try GroupTests.members($0).count == 3 }
            try cleo.send("hello", to: "+ops")
            try lost.send("before", to: "+ops")
            for node in [ada, ben, cleo, lost] {
                try node.awaitTexts(["hello", "before"], in: "+ops")
                try node.await("Ben is an admin") { node in
                    try GroupTests.members(node).contains { $0.hasSuffix("admin") }
                }
            }
            try cleo.stop()
            try lost.stop()
            let device = try #require(
                try ben.list("devices").first { $0["here"] == false }?["id"]?.stringValue)
            let params: JSON = ["device": .string("@\(device.prefix(8))")]
            let revoked = try ben.call("deviceRevoke", params)
            #expect(revoked["unasked"] == ["Cleo"], "\(revoked)")
            #expect(revoked["revoked"] != nil)
            // To say it again asks nobody where that is not wanted.
            let again = try ben.stoa("--json", "device", "revoke", device, "--yes", "--now")
            #expect(!again.contains("unasked"))
            _ = try ben.stoa("device", "revoke", device, "--yes", "--now", "--since", "1m")
            _ = try ben.stoa("device", "list", "--since", "1m", expecting: 64)
            _ = try ada.stoa(
                "group", "demote", "+ops", "@Ben", "--yes", "--since", "1m", expecting: 64)
            func isCut(_ node: Node) throws -> Bool {
                let info = try node.call("groupInfo", ["group": "+ops"])
                let members = info["members"]?.arrayValue ?? []
                return !members.contains {
                    $0["devices"]?.arrayValue?.contains(.string(device)) == true
                }
            }
            try ada.await("the owner knows") { try isCut($0) }
            for node in [ada, ben] { try node.stop() }

            // Where nobody has heard of it, it is Ben.
            try cleo.start()
            lost.add(["--peer", try cleo.address()])
            try lost.start()
            try lost.await("it is linked") { try !$0.list("peers").isEmpty }
            _ = try lost.stoa("group", "link", "+ops")
            try lost.send("as Ben", to: "+ops")
            try cleo.awaitTexts(["hello", "before", "as Ben"], in: "+ops")
            func links(_ node: Node) throws -> Int {
                try node.call("groupInfo", ["group": "+ops"])["links"]?.arrayValue?.count ?? 0
            }
            try cleo.await("she has its link") { try links($0) == 1 }
            try lost.stop()

            ada.add(["--peer", try cleo.address()])
            try ada.start()
            try cleo.await("it does not count") { node in
                let info = try node.call("groupInfo", ["group": "+ops"])
                return try links(node) == 0 && isCut(node)
                    && info["undecided"]?.arrayValue?.map { $0["reason"] } == ["deviceCut"]
            }
            try ada.send("after", to: "+ops")
            try cleo.awaitNewest("after", in: "+ops")
            #expect(try ada.texts(in: "+ops") == ["hello", "before", "after"])
            try lost.start()
            // She refuses it once she has heard of the revocation, too.
            let control = try lost.control()
            let dial: JSON = ["address": .string(try cleo.address()), "waitMilliseconds": 5000]
            _ = try control.outcome(of: control.post("connect", dial))
            #expect(try lost.texts(in: "+ops") == ["hello", "before", "as Ben"])
            for node in [ada, cleo] {
                try node.stop()
                #expect(try node.stoad("--check").exit == .code(0))
            }
        }

        // Shows: device.direct
        @Test("a device that is revoked reads nothing of what two people write then, or of notes")
        func revokedBetweenTwo() throws {
            let scratch = try Scratch()
            let (old, ben) = try Node.two(in: "agora", scratch)
            let lost = try Node.onLoopback(
                "lost", in: scratch, peers: [try old.address(), try ben.address()])
            try lost.start()
            try lost.await("both are linked") { try $0.list("peers").count == 2 }
            try Self.link(lost, to: old, in: scratch)
            try old.await("both know each other") { try $0.stoa("peers").contains("Ben") }
            let (here, there) = (try ben.key(of: "@ada"), try old.key(of: "@ben"))
            func texts(_ node: Node, _ to: String) throws -> [String] {
                try node.call("history", ["to": .string(to)])["messages"]?.arrayValue?
                    .compactMap { $0["text"]?.stringValue } ?? []
            }
            _ = try old.stoa("send", there, "before")
            try ben.await("it waits") { try !$0.list("requests").isEmpty }
            _ = try ben.stoa("accept", "@ada")
            _ = try old.stoa("send", "@me", "a note")
            try lost.await("it has both") { node in
                try texts(node, there) == ["before"] && texts(node, "@me") == ["a note"]
            }
            let device = try #require(try lost.call("status")["id"]?.stringValue)
            try lost.stop()
            _ = try old.stoa("device", "revoke", device, "--yes", "--now")
            _ = try old.stoa("send", there, "after")
            try ben.await("he reads on") { try texts($0, here) == ["before", "after"] }
            _ = try ben.stoa("send", here, "an answer")
            _ = try old.stoa("send", "@me", "another note")
            try old.await("she does") { try texts($0, there).count == 3 }
            for node in [old, ben] {
                try node.stop()
                #expect(try node.stoad("--check").exit == .code(0))
            }
            try old.start()
            ben.add(["--peer", try old.address()])
            try ben.start()
            let all = ["before", "after", "an answer", "once more"]
            _ = try old.stoa("send", there, "once more")
            try ben.await("also after a start") { try texts($0, here) == all }
            #expect(try texts(old, there) == all)
            #expect(try texts(old, "@me") == ["a note", "another note"])
            try lost.start()
            let control = try lost.control()
            let dial: JSON = ["address": .string(try ben.address()), "waitMilliseconds": 5000]
            _ = try control.outcome(of: control.post("connect", dial))
            #expect(try texts(lost, there) == ["before"] && texts(lost, "@me") == ["a note"])
        }

        /// The seed of the person's key, as a node's disk has it.
        private static func seed(of node: Node) throws -> [UInt8] {
            let folder = node.dataDirectory
            let key = try Files.read("\(folder)/safe.key", limitBytes: 1_000)
            guard case .open(let safe) = try StoredSafe(decoding: key) else {
                throw Broken("there is a lock")
            }
            let bytes = try Files.read("\(folder)/person.key", limitBytes: 1_000)
            return Array(try SealedFile.open(bytes, as: "person.key", by: safe).dropFirst())
        }

        // Shows: device.key
        @Test("the person's key moves from one device to another by a backup, and acts there alone")
        func moved() throws {
            let scratch = try Scratch()
            let (backup, phrase) = (scratch.path + "/backup", scratch.path + "/phrase")
            try Files.writeAtomically(Array("wombat ember kiosk tundra fjord\n".utf8), to: phrase)
            let old = try Node.onLoopback("Ada", in: scratch)
            try old.start()
            let new = try Node.onLoopback("new", in: scratch, peers: [try old.address()])
            try new.start()
            try new.await("they are linked") { try $0.list("peers").count == 1 }
            try Self.link(new, to: old, in: scratch)
            let (one, other) = (try old.call("status")["id"], try new.call("status")["id"])
            try old.await("both are known") { try $0.list("devices").count == 2 }

            _ = try old.stoa("backup", backup, "--phrase-file", phrase)
            let seed = try Self.seed(of: old)
            #expect(try old.memory().firstRange(of: seed) != nil)
            _ = try old.stoa("device", "demote", backup, "--phrase-file", phrase, expecting: 64)
            #expect(
                try old.stoa("device", "demote", backup, "--phrase-file", phrase, "--yes")
                    .contains("does not hold your person's key any more"))
            #expect(try old.memory().firstRange(of: seed) == nil)
            #expect(try Self.seed(of: old) != seed)
            let target = try #require(other?.stringValue)
            _ = try old.stoa("device", "revoke", target, "--yes", expecting: 77)
            #expect(
                try old.stoa("device", "promote", backup, "--phrase-file", phrase, "--json")
                    .contains("\"approves\":true"))
            _ = try old.stoa("device", "demote", backup, "--phrase-file", phrase, "--yes")

            _ = try new.stoa("device", "promote", backup, "--phrase-file", phrase)
            #expect(try Self.seed(of: new) == seed)
            let third = try Node.onLoopback("third", in: scratch, peers: [try new.address()])
            try third.start()
            try third.await("they are linked") { try !$0.list("peers").isEmpty }
            try Self.link(third, to: new, in: scratch)
            #expect(try third.call("status")["person"] == new.call("status")["person"])
            let device = try #require(one?.stringValue)
            _ = try new.stoa("device", "revoke", device, "--yes")
            try new.await("the first is not linked") { node in
                try !node.list("peers").contains {
                    $0["id"] == .string(device) && $0["state"] == "linked"
                }
            }
            try old.stop()
            try old.start()
            #expect(try old.stoa("device", "list").contains(" no"))
        }
    }
}
