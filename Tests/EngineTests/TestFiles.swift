import Glibc

/// The files that lie beside the tests.
enum TestFiles {
    /// The folder `Tests`.
    private static let folder: String =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        .joined(separator: "/")

    /// The bytes of a file; nil where it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open("\(Self.folder)/\(path)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// The names of what a folder holds, in order.
    static func names(in path: String) -> [String] {
        guard let stream = opendir("\(Self.folder)/\(path)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
