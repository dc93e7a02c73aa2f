import Glibc
import Posix

/// A folder that goes away with its owner.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/stoa-integration-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Broken("no temporary folder") }
        self.path = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    deinit {
        guard self.path.hasPrefix("/tmp/stoa-integration-") else { return }
        _ = try? ChildProcess.run(["rm", "-rf", self.path])
    }

    func folder(_ name: String) throws -> String {
        let path = self.path + "/" + name
        try Files.makePrivateDirectory(path)
        return path
    }
}
