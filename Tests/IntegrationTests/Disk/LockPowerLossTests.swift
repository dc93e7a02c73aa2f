import Formats
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a loss of power around a lock") struct LockPowerLossTests {
        /// What a node did when its lock was set, changed, removed and set again.
        private static func record(in scratch: Scratch) throws -> FileRecording {
            let phrases = try [
                "plover quartz anvil sonnet bracken", "wombat ember kiosk tundra fjord",
            ]
            .map { text in
                let path = "\(scratch.path)/\(text.prefix(6))"
                try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o600)
                return path
            }
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
    }
}
