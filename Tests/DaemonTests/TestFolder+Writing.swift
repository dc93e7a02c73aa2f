import Posix
import TestSupport

extension TestFolder {
    /// Writes a file with a mode and returns its path.
    func write(_ text: String, to name: String, mode: UInt32 = 0o600) throws -> String {
        let path = self(name)
        try Files.writeAtomically(Array(text.utf8), to: path, mode: mode)
        return path
    }
}
