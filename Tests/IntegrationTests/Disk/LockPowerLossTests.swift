import Formats
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a loss of power around a lock") struct LockPowerLossTests {
        /// What a node did when its lock was set, changed, removed and set again.
        private struct Recording {
            let log: WriteLog
            let root: String
            let path: String
            /// What the file of the safe key was after the first start, and after each step.
            private(set) var files: [[UInt8]] = []
            /// How many records there were once that was answered.
            private(set) var answered: [Int] = []

            init(in scratch: Scratch) throws {
                let path = scratch.path + "/log"
                let shim = try FaultShim(in: scratch)
                let node = try Node.onLoopback("node", in: scratch)
                node.wrap(in: shim.command(for: node, log: path))
                let phrases = try [
                    "plover quartz anvil sonnet bracken", "wombat ember kiosk tundra fjord",
                ]
                .map { text in
                    let path = "\(scratch.path)/\(text.prefix(6))"
                    try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o600)
                    return path
                }
                (self.root, self.path) = (node.folder, "\(node.dataDirectory)/safe.key")
                var (files, answered): ([[UInt8]], [Int]) = ([], [])
                func note() throws {
                    files.append(
                        try Files.read("\(node.dataDirectory)/safe.key", limitBytes: 1_000))
                    answered.append(try WriteLog(path: path).records.count)
                }
                func set() throws {
                    _ = try node.stoa(
                        "lock", "set", "--without-backup", "--new-passphrase-file", phrases[0])
                }
                try node.start()
                try note()
                try set()
                try note()
                _ = try node.stoa(
                    "lock", "change", "--passphrase-file", phrases[0], "--new-passphrase-file",
                    phrases[1])
                try note()
                _ = try node.stoa("lock", "remove", "--passphrase-file", phrases[1])
                try note()
                try set()
                try note()
                try node.kill()
                self.log = try WriteLog(path: path)
                (self.files, self.answered) = (files, answered)
            }
        }

        @Test(
            "leaves the key as it was or as it is to be, at every write of set, change and remove",
            Surroundings.compiler)
        func everyWrite() throws {
            let recording = try Recording(in: Scratch())
            let (log, files, path) = (recording.log, recording.files, recording.path)
            for (step, bytes) in files.enumerated() {
                let isOpen = if case .open = try StoredSafe(decoding: bytes) { true } else { false }
                #expect(isOpen == [0, 3].contains(step))
            }
            #expect(files[0] == files[3] && Set(files).count == 4)
            var disk = SimulatedDisk(root: recording.root)
            var images = 0
            for (index, record) in log.records.enumerated() {
                try disk.apply(record, of: log)
                // What was answered is there; of what is under way there is either.
                let step = recording.answered.lastIndex { $0 <= index + 1 }
                let allowed = step.map { Array(files[$0...].prefix(2)) } ?? [files[0]]
                var losses: [SimulatedDisk.Loss] = [.none, .all]
                for seed in 0..<6 {
                    losses.append(.some(SeededRandom(seed: UInt64(index * 6 + seed))))
                }
                for loss in losses {
                    images += 1
                    let left = disk.files(after: loss)[path]?.bytes
                    // Before the first start has said anything there may be none.
                    let isSound = left.map { allowed.contains($0) } ?? (step == nil)
                    #expect(
                        isSound, "record \(index), \(record.kind) \(record.path): \(left ?? [])")
                }
            }
            #expect(images >= 1_000)
        }
    }
}
