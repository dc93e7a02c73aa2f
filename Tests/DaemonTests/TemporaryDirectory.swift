import Glibc
import Posix
import Testing

/// A directory that goes away, with all in it, with the last reference to it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/stoad-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) } != nil
        }
        try #require(made)
        self.path = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(self.path) }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            closedir(directory)
            for name in names { self.remove("\(path)/\(name)") }
        }
        Glibc.remove(path)
    }

    /// Writes a file with a mode and returns its path.
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        let path = "\(self.path)/\(name)"
        try Files.writeAtomically(Array(text.utf8), to: path, mode: UInt32(mode))
        return path
    }
}
