import Crypto
import Posix
import TestSupport
import Testing

/// What a node did to its disk in some steps, of which each replaces one small file.
struct FileRecording {
    let log: WriteLog
    let root: String
    let path: String
    /// What was in the file after each step.
    private(set) var files: [[UInt8]] = []
    /// How many records there were once the step was answered.
    private var answered: [Int] = []

    /// Has a node take the steps, of which the first starts it, and kills it.
    init(of name: String, in scratch: Scratch, steps: [(Node) throws -> Void]) throws {
        let (path, shim) = (scratch.path + "/log", try FaultShim(in: scratch))
        let node = try Node.onLoopback("node", in: scratch)
        node.wrap(in: shim.command(for: node, log: path))
        (self.root, self.path) = (node.folder, "\(node.dataDirectory)/\(name)")
        var (files, answered): ([[UInt8]], [Int]) = ([], [])
        for step in steps {
            try step(node)
            files.append(try Files.read(self.path, limitBytes: 1_000))
            answered.append(try WriteLog(path: path).records.count)
        }
        try node.kill()
        self.log = try WriteLog(path: path)
        (self.files, self.answered) = (files, answered)
    }

    /// Takes the power away at every write, and expects the file to be there as it was or as it is to be; gives how many
    /// disks were looked at.
    ///
    /// - Parameter others: whether the other files of such a disk are sound, once the first step was answered.
    func takePowerAway(
        others: ([String: [UInt8]]) throws -> Bool = { _ in true }
    ) throws -> Int {
        var (disk, images) = (SimulatedDisk(root: self.root), 0)
        for (index, record) in self.log.records.enumerated() {
            try disk.apply(record, of: self.log)
            // What was answered is there; of what is under way there is either.
            let step = self.answered.lastIndex { $0 <= index + 1 }
            let allowed = step.map { Array(self.files[$0...].prefix(2)) } ?? [self.files[0]]
            var losses: [SimulatedDisk.Loss] = [.none, .all]
            for seed in 0..<6 {
                losses.append(.some(SeededRandom(seed: UInt64(index * 6 + seed))))
            }
            for loss in losses {
                images += 1
                let files = disk.files(after: loss).mapValues(\.bytes)
                let left = files[self.path]
                // Before the first start has said anything there may be none.
                let isSound = left.map { allowed.contains($0) } ?? (step == nil)
                #expect(isSound, "record \(index), \(record.kind) \(record.path): \(left ?? [])")
                if step != nil {
                    #expect(
                        try others(files), "record \(index), \(record.kind) \(record.path)")
                }
            }
        }
        return images
    }
}
