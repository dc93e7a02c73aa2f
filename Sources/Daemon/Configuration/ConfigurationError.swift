/// Why the daemon cannot use what it was configured with.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong and where.
    package let text: String
    /// What to do about it.
    package let remedy: String
    /// 64 (`EX_USAGE`) for a flag or variable, 78 (`EX_CONFIG`) for a file: sysexits.h.
    package let exitCode: Int32

    init(_ text: String, remedy: String, isFromFile: Bool) {
        self.text = text
        self.remedy = remedy
        self.exitCode = isFromFile ? 78 : 64
    }

    /// The reason and the remedy in one line.
    package var description: String { "\(self.text); \(self.remedy)" }
}
