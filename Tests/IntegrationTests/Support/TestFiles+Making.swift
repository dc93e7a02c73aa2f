import Posix
import TestSupport

extension TestFiles {
    /// Writes a file that no two chunks of are alike, from a seed; gives its bytes.
    static func make(_ path: String, bytes count: Int, seed: UInt64 = 1) throws -> [UInt8] {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        try Files.writeAtomically(bytes, to: path)
        return bytes
    }
}
