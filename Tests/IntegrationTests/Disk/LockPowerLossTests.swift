import Formats
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a loss of power around a lock") struct LockPowerLossTests {
        private static func phrases(in scratch: Scratch) throws -> [String] {
            try ["plover quartz anvil sonnet bracken", "wombat ember kiosk tundra fjord"].map {
                text in
                let path = "\(scratch.path)/\(text.prefix(6))"
                try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o600)
                return path
            }
        }

        /// What a node did when its lock was set, changed, removed and set again.
        private static func record(in scratch: Scratch) throws -> FileRecording {
            let phrases = try Self.phrases(in: scratch)
            func set(_ node: Node) throws {
                _ = try node.stoa(
                    "lock", "set", "--without-backup", "--new-passphrase-file", phrases[0])
            }
            return try FileRecording(
                of: "safe.key", in: scratch,
                steps: [
                    { try $0.start() }, set,
                    { node in
                        _ = try node.stoa(
                            "lock", "change", "--passphrase-file", phrases[0],
                            "--new-passphrase-file", phrases[1])
                    },
                    { _ = try $0.stoa("lock", "remove", "--passphrase-file", phrases[1]) }, set,
                ])
        }

        @Test(
            "leaves the key as it was or as it is to be, at every write of set, change and remove",
            Surroundings.compiler)
        func everyWrite() throws {
            let recording = try Self.record(in: Scratch())
            let files = recording.files
            for (step, bytes) in files.enumerated() {
                let isOpen = if case .open = try StoredSafe(decoding: bytes) { true } else { false }
                #expect(isOpen == [0, 3].contains(step))
            }
            #expect(files[0] == files[3] && Set(files).count == 4)
            #expect(try recording.takePowerAway() >= 1_000)
        }

        @Test(
            "leaves the slot of the desktop's keyring as it was or as it is to be, at every write",
            Surroundings.compiler, Surroundings.keyring)
        func keyring() throws {
            let scratch = try Scratch()
            let phrases = try Self.phrases(in: scratch)
            let session = try SessionKeyring(in: scratch)
            try session.start()
            func set(_ node: Node) throws {
                _ = try node.stoa(
                    "lock", "set", "--without-backup", "--new-passphrase-file", phrases[0])
            }
            func add(by phrase: Int) -> (Node) throws -> Void {
                { node in
                    _ = try node.stoa(
                        "lock", "keyring", "on", "--passphrase-file", phrases[phrase])
                }
            }
            let files = try FileRecording(
                of: "safe.key", in: scratch,
                steps: [
                    { node in
                        node.surroundings = session.environment
                        try node.start()
                    }, set, add(by: 0),
                    { node in
                        _ = try node.stoa(
                            "lock", "change", "--passphrase-file", phrases[0],
                            "--new-passphrase-file", phrases[1])
                    },
                    { _ = try $0.stoa("lock", "keyring", "off") }, add(by: 1),
                    { _ = try $0.stoa("lock", "remove", "--passphrase-file", phrases[1]) },
                ])
            let slots = try files.files.map { bytes in
                try Node.keyringSlot(in: bytes)
            }
            for (step, slot) in slots.enumerated() {
                #expect((slot != nil) == [2, 3, 5].contains(step))
                // What the file has forgotten nobody keeps.
                if let slot { #expect(try session.item(of: slot.id) == nil) }
            }
            #expect(slots[2] == slots[3] && slots[3] != slots[5])
            #expect(try files.takePowerAway() >= 1_000)
        }
    }
}
