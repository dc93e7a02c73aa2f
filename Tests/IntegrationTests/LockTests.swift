import ControlAPI
import Crypto
import Formats
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a lock") struct LockTests {
        static let secret = "whatonlythetwoofusknow"

        /// A node with a secret room, a message there, and a lock; and the files of its passphrase and of a wrong one.
        static func node(
            in scratch: Scratch
        ) throws -> (node: Node, right: String, wrong: String) {
            let (right, wrong) = (scratch.path + "/right", scratch.path + "/wrong")
            try Files.writeAtomically(
                Array("plover quartz hinterland fuchsia anvil\n".utf8), to: right, mode: 0o600)
            try Files.writeAtomically(Array("password\n".utf8), to: wrong, mode: 0o600)
            let node = try Node.onLoopback("Ada", in: scratch)
            try node.start()
            _ = try node.stoa("create", "hiddenroom", "--secret")
            _ = try node.stoa("send", "&hiddenroom", Self.secret)
            _ = try node.stoa("lock", expecting: 77)
            _ = try node.stoa("lock", "set", "--new-passphrase-file", right, expecting: 77)
            _ = try node.stoa("backup", scratch.path + "/backup")
            _ = try node.stoa("lock", "set", "--new-passphrase-file", right)
            node.reconnect()
            return (node, right, wrong)
        }

        static func awaitLocked(_ node: Node) throws {
            node.reconnect()
            try node.awaitReadiness()
            #expect(try node.call("status")["lock"] == "locked")
        }

        @Test("a locked node answers every call with that, and all goes on once it is unlocked")
        func calls() throws {
            let scratch = try Scratch()
            let (node, right, wrong) = try Self.node(in: scratch)
            let process = try node.processID()
            _ = try node.stoa("lock")
            try Self.awaitLocked(node)
            #expect(try node.processID() == process)
            for method in ControlMethods.all.map({ $0.description.name })
            where !["status", "lock", "unlock"].contains(method) {
                let id = try node.control().post(method)
                guard case .failure(let error)? = try node.control().outcome(of: id) else {
                    Issue.record("\(method) is not refused")
                    continue
                }
                #expect(error.knownCode == .locked, "\(method)")
            }
            _ = try node.stoa("send", "&hiddenroom", "more", expecting: 67)
            _ = try node.stoa("unlock", "--passphrase-file", wrong, expecting: 77)
            _ = try node.stoa("unlock", "--passphrase-file", right)
            node.reconnect()
            try node.awaitReadiness()
            #expect(try node.stoa("history", "&hiddenroom").contains(Self.secret))
            #expect(try node.call("status")["lock"] == "open")
            #expect(try node.stoa("unlock", "--passphrase-file", wrong).contains("not locked"))
            try node.stop()
        }

        @Test("a locked node has nothing private in its memory or its folder")
        func nothing() throws {
            let scratch = try Scratch()
            let (node, _, _) = try Self.node(in: scratch)
            #expect(try node.hasInMemory(Self.secret) || node.hasInMemory("hiddenroom"))
            _ = try node.stoa("lock")
            try Self.awaitLocked(node)
            let memory = try node.memory()
            for text in [Self.secret, "hiddenroom", "plover quartz"] {
                #expect(memory.firstRange(of: Array(text.utf8)) == nil, "\(text)")
                #expect(try !node.hasOnDisk(text), "\(text)")
            }
            try node.stop()
        }

        /// What an open node has in memory all the time.
        private static let inMemory = [
            "the safe key", "identity.key", "the root", "hiddenroom", "hiddengroup",
        ]

        /// What a lock must hide of a node, and what each is.
        private static func planted(at node: Node) throws -> [(what: String, bytes: [UInt8])] {
            let key = try Files.read("\(node.dataDirectory)/safe.key", limitBytes: 64).dropFirst()
            let safe = Safe(try SecretKey(Array(key).span.bytes))
            var found = [("the safe key", Array(key))]
            for name in ["identity.key", "person.key", "sealing.key"] {
                let bytes = try Files.read("\(node.dataDirectory)/\(name)", limitBytes: 256)
                // A byte before a key says what it is.
                found.append((name, try SealedFile.open(bytes, as: name, by: safe).suffix(32)))
            }
            let line = try node.stoa("invite", "&hiddenroom").split { $0 == " " || $0 == "\n" }
                .first { $0.hasPrefix(RoomInvitation.prefix) }
            let root = try RoomInvitation(String(#require(line))).room.root
            found.append(("the root", root.bytes))
            let texts = [
                Self.secret, "noteforme", "hiddenroom", "hiddengroup", "hidden.txt",
                "plover quartz",
            ]
            return found + texts.map { ($0, Array($0.utf8)) }
        }

        private static func found(
            _ planted: [(what: String, bytes: [UInt8])], in dump: [UInt8]
        ) -> Set<String> {
            Set(planted.filter { Node.has($0.bytes, in: dump) }.map(\.what))
        }

        @Test(
            "a dump of a locked node's process has no key, no root, no text and no name",
            Surroundings.gcore)
        func dump() throws {
            let scratch = try Scratch()
            let right = scratch.path + "/right"
            try Files.writeAtomically(
                Array("plover quartz hinterland fuchsia anvil\n".utf8), to: right, mode: 0o600)
            let file = scratch.path + "/hidden.txt"
            try Files.writeAtomically(Array("something".utf8), to: file)
            let node = try Node.onLoopback("Ada", in: scratch)
            try node.start()
            _ = try node.stoa("create", "hiddenroom", "--secret")
            _ = try node.stoa("group", "create", "hiddengroup")
            _ = try node.stoa("send", "&hiddenroom", Self.secret)
            _ = try node.stoa("send", "&hiddenroom", "--file", file)
            _ = try node.stoa("send", "@me", "noteforme")
            let planted = try Self.planted(at: node)
            let found = try Self.found(planted, in: node.dump(in: scratch))
            #expect(found.isSuperset(of: Self.inMemory), "\(found)")
            _ = try node.stoa(
                "lock", "set", "--without-backup", "--new-passphrase-file", right)
            node.reconnect()
            _ = try node.stoa("lock")
            try Self.awaitLocked(node)
            let left = try Self.found(planted, in: node.dump(in: scratch) + node.log.utf8)
            #expect(left.isEmpty)
            try node.stop()
        }

        @Test("a start finds the lock, whatever ended the one before, until it is removed")
        func starts() throws {
            let scratch = try Scratch()
            let (node, right, wrong) = try Self.node(in: scratch)
            for isKilled in [true, false] {
                if isKilled { try node.kill() } else { try node.stop() }
                try node.start()
                #expect(try node.call("status")["lock"] == "locked")
                try node.stop()
            }
            #expect(try node.stoad("--check").exit == .code(67))
            try node.start()
            _ = try node.stoa("unlock", "--passphrase-file", right)
            node.reconnect()
            try node.awaitReadiness()
            let change = ["--passphrase-file", right, "--new-passphrase-file", wrong]
            // A weak one does not replace it.
            _ = try node.stoa(
                "lock", "change", change[0], change[1], change[2], change[3], expecting: 77)
            _ = try node.stoa("lock", "remove", "--passphrase-file", wrong, expecting: 77)
            _ = try node.stoa("lock", "remove", "--passphrase-file", right)
            try node.stop()
            try node.start()
            #expect(try node.call("status")["lock"] == nil)
            #expect(try node.stoa("history", "&hiddenroom").contains(Self.secret))
            try node.stop()
        }
    }
}
