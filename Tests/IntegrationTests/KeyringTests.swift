import ControlAPI
import Crypto
import Formats
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a lock in the desktop's keyring", Surroundings.keyring) struct KeyringTests {
        private static let secret = "whatonlythetwoofusknow"

        /// A node with a secret room and a lock, a session beside it whose keyring has its key, and the files of its
        /// passphrase and another one.
        private struct Desk {
            let scratch = try? Scratch()
            let keyring: SessionKeyring
            let node: Node
            let phrases: [String]

            init() throws {
                guard let scratch = self.scratch else { throw Broken("no folder") }
                self.keyring = try SessionKeyring(in: scratch)
                try self.keyring.start()
                self.phrases = try [
                    "plover quartz hinterland fuchsia anvil", "wombat ember kiosk tundra fjord",
                ]
                .map { text in
                    let path = "\(scratch.path)/\(text.prefix(6))"
                    try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o600)
                    return path
                }
                self.node = try Node.onLoopback("Ada", in: scratch)
                self.node.surroundings = self.keyring.environment
                try self.node.start()
                _ = try self.node.stoa("create", "hiddenroom", "--secret")
                _ = try self.node.stoa("send", "&hiddenroom", KeyringTests.secret)
                _ = try self.node.stoa("lock", "keyring", "off", expecting: 77)
                _ = try self.node.stoa(
                    "lock", "set", "--without-backup", "--new-passphrase-file", self.phrases[0])
                self.node.reconnect()
            }

            func add(by phrase: Int = 0, expecting code: Int32 = 0) throws {
                _ = try self.node.stoa(
                    "lock", "keyring", "on", "--passphrase-file", self.phrases[phrase],
                    expecting: code)
            }

            /// Starts the daemon, which the keyring is to open.
            func startOpen() throws {
                try self.node.start()
                // Ready locked, and then open.
                try self.node.awaitReadiness()
                self.node.reconnect()
                #expect(try self.node.call("status")["lock"] == "open")
                #expect(
                    try self.node.stoa("history", "&hiddenroom").contains(KeyringTests.secret))
            }

            /// Waits until the keyring has said no, in these words, and expects others to be told.
            func awaitRefusal(_ words: String) throws {
                try self.node.await(words) { node in
                    let keyring = try node.call("status")["keyring"]
                    return keyring?["state"] == "refused"
                        && keyring?["why"]?.stringValue?.contains(words) == true
                }
                #expect(self.node.log.contains(words))
                #expect(try self.node.stoa("status").contains(words))
                #expect(try self.node.stoa("doctor", expecting: 2).contains(words))
                _ = try self.node.stoa("send", "&hiddenroom", "more", expecting: 67)
            }

            func unlock(by phrase: Int = 0) throws {
                _ = try self.node.stoa("unlock", "--passphrase-file", self.phrases[phrase])
                try self.node.awaitReadiness()
                self.node.reconnect()
                #expect(try self.node.call("status")["lock"] == "open")
            }
        }

        @Test("opens a start, whatever the passphrase is then, and nothing locked since")
        func opens() throws {
            let desk = try Desk()
            let node = desk.node
            try desk.add(by: 1, expecting: 77)
            #expect(try node.keyringSlot() == nil)
            try desk.add()
            #expect(try node.stoa("status").contains("opens this node when it starts"))
            try node.stop()
            try desk.startOpen()

            _ = try node.stoa("lock")
            node.reconnect()
            try node.awaitReadiness()
            #expect(try node.call("status")["keyring"]?["state"] == "passedOver")
            let kept = try #require(try node.keyringSlot())
            let item = try #require(try desk.keyring.item(of: kept.id))
            let memory = try node.memory()
            for text in [KeyringTests.secret, "hiddenroom", item] {
                #expect(!Node.has(Array(text.utf8), in: memory), "\(text)")
                #expect(try !node.hasOnDisk(text), "\(text)")
            }
            guard
                case .failure(let error)? = try node.control().outcome(
                    of: node.control().post("unlock"))
            else { throw Broken("the keyring has opened what was locked") }
            #expect(error.reason == "passphraseNeeded")
            try desk.unlock()

            let slot = try node.keyringSlot()
            _ = try node.stoa(
                "lock", "change", "--passphrase-file", desk.phrases[0], "--new-passphrase-file",
                desk.phrases[1])
            #expect(try slot != nil && node.keyringSlot() == slot)
            try node.kill()
            try desk.startOpen()

            // Anew: another item, and none that was there before.
            try desk.add(by: 1)
            let (old, new) = (try #require(slot), try #require(try node.keyringSlot()))
            #expect(
                try desk.keyring.item(of: old.id) == nil && desk.keyring.item(of: new.id) != nil)
            _ = try node.stoa("lock", "remove", "--passphrase-file", desk.phrases[1])
            #expect(try desk.keyring.item(of: new.id) == nil)
            try node.stop()
            try node.start()
            #expect(try node.call("status")["lock"] == nil)
            try node.stop()
        }

        @Test("that is absent or locked is refused with its reason, and asked again")
        func absent() throws {
            let desk = try Desk()
            let node = desk.node
            try desk.add()
            try node.stop()

            node.surroundings = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(node.folder)/none"]
            try node.start()
            try desk.awaitRefusal("the bus of the desktop's session cannot be reached")
            try desk.unlock()
            try node.stop()

            node.surroundings = desk.keyring.environment
            try desk.keyring.stop()
            try node.start()
            try desk.awaitRefusal("no program on the session's bus offers a keyring")
            try desk.keyring.start(isUnlocked: false)
            try desk.awaitRefusal("the desktop's keyring is locked")
            try desk.keyring.stop()
            try desk.keyring.start()
            try node.awaitReadiness()
            node.reconnect()
            #expect(try node.call("status")["lock"] == "open")
            try node.stop()
        }

        @Test("without the key, or with another one, is refused with its reason; a new key opens")
        func changed() throws {
            let desk = try Desk()
            let node = desk.node
            try desk.add()
            let slot = try #require(try node.keyringSlot())
            let item = try #require(try desk.keyring.item(of: slot.id))
            try node.stop()
            try desk.keyring.change(slot.id, to: nil)
            try node.start()
            try desk.awaitRefusal("does not have the key of this node")
            // It is asked again where somebody says so.
            try desk.keyring.change(slot.id, to: item)
            #expect(try node.stoa("unlock").contains("unlocked by the desktop's keyring"))
            try node.awaitReadiness()
            try node.stop()

            for wrong in [String(item.reversed()), "password", item + item] {
                try desk.keyring.change(slot.id, to: wrong)
                try node.start()
                try desk.awaitRefusal(
                    wrong.count > item.count ? "does not answer as it should" : "does not open")
                try desk.unlock()
                try node.stop()
            }
            try node.start()
            try desk.unlock()
            try desk.add()
            try node.stop()
            try desk.startOpen()
            try node.stop()
        }

        @Test("that is removed opens nothing, not even the file of before")
        func removed() throws {
            let desk = try Desk()
            let (node, file) = (desk.node, "\(desk.node.dataDirectory)/safe.key")
            try desk.add()
            let slot = try #require(try node.keyringSlot())
            let before = try Files.read(file, limitBytes: 1_000)
            #expect(try node.stoa("lock", "keyring", "off").contains("does not open this node"))
            #expect(try node.keyringSlot() == nil && desk.keyring.item(of: slot.id) == nil)
            #expect(try node.call("status")["keyring"] == nil)
            try node.stop()
            try node.start()
            #expect(try node.call("status")["lock"] == "locked")
            #expect(try node.call("status")["keyring"] == nil)
            try node.stop()
            try Files.writeAtomically(before, to: file, mode: 0o600)
            try node.start()
            try desk.awaitRefusal("does not have the key of this node")
            try desk.unlock()

            // A keyring that is away cannot keep the node from forgetting it, and what is left is said.
            try desk.add()
            try desk.keyring.stop()
            let left = try node.stoa("lock", "keyring", "off")
            #expect(left.contains("no program on the session's bus offers a keyring"))
            #expect(try node.keyringSlot() == nil)
            try desk.add(expecting: 77)
            #expect(try node.keyringSlot() == nil)
            try node.stop()
        }

        @Test("whose bus takes connections and says nothing holds up nobody")
        func silent() throws {
            let desk = try Desk()
            let node = desk.node
            try desk.add()
            try node.stop()
            let path = "\(node.folder)/silent/bus"
            let listener = try UnixListener(path: path)
            node.surroundings = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)"]
            try node.start()
            #expect(try node.call("status")["keyring"]?["state"] == "asking")
            try desk.unlock()
            try node.stop()
            withExtendedLifetime(listener) {}
        }
    }
}
