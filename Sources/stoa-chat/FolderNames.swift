import Glibc
import Posix

/// What is in a folder, for Tab.
enum FolderNames {
    /// How many names are looked at: more than anybody completes among.
    private static let limit = 5_000

    /// A path as a shell would take it: `~/` is the user's home.
    static func expanded(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = ProcessEnvironment.variable("HOME") else {
            return path
        }
        return home + path.dropFirst()
    }

    /// The names in a folder in order, those of folders with a slash; none where it cannot be read.
    static func names(in folder: String) -> [String] {
        let folder = self.expanded(folder)
        let names = (try? Files.names(in: folder)) ?? []
        return names.prefix(Self.limit).map { name in
            var status = stat()
            let isFolder =
                stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            return isFolder ? name + "/" : name
        }
    }
}
