import Glibc
import Posix

extension Node {
    /// The most memory that the daemon had at a time, in KiB.
    func residentKilobytes() throws -> Int { try self.kilobytes("VmHWM") }

    /// What the system says of the memory of the running daemon, in KiB: proc_pid_status(5).
    func kilobytes(_ name: String) throws -> Int {
        let status = String(
            decoding: try Files.read("/proc/\(try self.processID())/status", limitBytes: 65_536),
            as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        let count = line?.split(separator: " ").dropFirst().first
        return count.flatMap { Int($0) } ?? 0
    }

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

    /// All that a debugger can dump of the running daemon, also what dumps leave out: gcore(1).
    func dump(in scratch: Scratch) throws -> [UInt8] {
        let (process, path) = (try self.processID(), "\(scratch.path)/core")
        _ = try ChildProcess.run(["gcore", "-a", "-o", path, "\(process)"])
        defer { try? Files.remove("\(path).\(process)") }
        return try Files.read("\(path).\(process)", limitBytes: 1 << 30)
    }

    /// Whether some bytes are within others, of which there are many.
    static func has(_ some: [UInt8], in all: [UInt8]) -> Bool {
        // By the C library: a search in Swift takes minutes where it is not optimised.
        all.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return false }
            var start = 0
            while all.count - start >= some.count,
                let next = memchr(base + start, Int32(some[0]), all.count - some.count + 1 - start)
            {
                if memcmp(next, some, some.count) == 0 { return true }
                start = UnsafeRawPointer(next) - base + 1
            }
            return false
        }
    }

    /// Whether a running daemon has a text in its memory, its files or its log.
    func holds(_ text: String) throws -> Bool {
        try self.hasInMemory(text) || self.hasOnDisk(text) || self.log.contains(text)
    }

    /// Whether a text stands in the memory of a running daemon.
    func hasInMemory(_ text: String) throws -> Bool {
        try self.memory().firstRange(of: Array(text.utf8)) != nil
    }

    /// Whether a text stands in the files of the store.
    func hasOnDisk(_ text: String) throws -> Bool {
        for name in ["stoa.db", "stoa.db-wal"] {
            let path = "\(self.dataDirectory)/\(name)"
            guard Files.exists(path) else { continue }
            let bytes = try Files.read(path, limitBytes: 64 << 20)
            if bytes.firstRange(of: Array(text.utf8)) != nil { return true }
        }
        return false
    }
}
