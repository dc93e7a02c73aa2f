import Glibc
import Posix

extension Node {
    /// All that the running daemon has in memory that can be written: proc_pid_mem(5).
    func memory() throws -> [UInt8] {
        let folder = "/proc/\(try self.processID())"
        let maps = String(
            decoding: try Files.read("\(folder)/maps", limitBytes: 16 << 20), as: UTF8.self)
        let memory = open("\(folder)/mem", O_RDONLY)
        guard memory >= 0 else { throw Broken("\(folder)/mem cannot be read: \(errno)") }
        defer { close(memory) }
        var found: [UInt8] = []
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard words[1].hasPrefix("rw"), ends.count == 2 else { continue }
            var part = [UInt8](repeating: 0, count: ends[1] - ends[0])
            let count = pread(memory, &part, part.count, off_t(ends[0]))
            if count > 0 { found += part.prefix(count) }
        }
        return found
    }
}
