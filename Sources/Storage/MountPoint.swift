internal import Glibc

/// Where file systems are mounted, to name one.
enum MountPoint {
    /// Where the file system is mounted that holds a file; nil where the system does not say.
    static func holding(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return Self.holding(String(cString: resolved), in: Self.table())
    }

    /// The mount point in a table like that of proc_pid_mounts(5) that is nearest above a path.
    static func holding(_ path: String, in table: [String]) -> String? {
        var found: String?
        for line in table {
            let fields = line.split(separator: " ")
            guard fields.count > 1 else { continue }
            let mount = Self.unescaped(fields[1])
            let isAbove = path == mount || path.hasPrefix(mount == "/" ? mount : mount + "/")
            // Of two at one place the later lies over the earlier.
            if isAbove, mount.utf8.count >= found?.utf8.count ?? 0 { found = mount }
        }
        return found
    }

    private static func table() -> [String] {
        guard let file = fopen("/proc/self/mounts", "re") else { return [] }
        defer { fclose(file) }
        var (lines, line, capacity): ([String], UnsafeMutablePointer<CChar>?, Int) = ([], nil, 0)
        defer { free(line) }
        // getline(3) makes the line as long as it has to be and ends it with a zero.
        while getline(&line, &capacity, file) > 0, let line {
            lines.append(String(cString: line))
        }
        return lines
    }

    /// Puts spaces and the like back, which stand there as octal numbers: `\040`.
    private static func unescaped(_ field: Substring) -> String {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], field.utf8)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(digits.count)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
