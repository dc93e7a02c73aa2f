import Posix
import TestSupport

/// A folder that goes away with its owner.
final class Scratch {
    private let root: TestFolder

    init() throws {
        self.root = try TestFolder()
    }

    var path: String { self.root.path }

    func folder(_ name: String) throws -> String {
        let path = self.root(name)
        try Files.makePrivateDirectory(path)
        return path
    }
}
