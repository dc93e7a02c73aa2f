internal import Glibc

/// A fresh private folder, removed with all in it when the last reference to it goes.
package final class TestFolder: Sendable {
    /// It could not be made.
    package struct Failure: Error {}

    package let path: String

    /// Makes it below `/tmp`, where the paths of sockets stay short enough, or below another folder.
    package init(in parent: String = "/tmp") throws(Failure) {
        var template = Array("\(parent)/stoa-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        self.path = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(self.path) }

    private static func remove(_ path: String) {
        // A link is removed, not followed; a folder refuses and is emptied first.
        if unlink(path) == 0 { return }
        for name in TestFiles.names(in: path) { Self.remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The path of something in it.
    package func callAsFunction(_ name: String) -> String { "\(self.path)/\(name)" }

    /// The names in it, in order.
    package var names: [String] { TestFiles.names(in: self.path) }
}
