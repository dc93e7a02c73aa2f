internal import Posix

/// What the user has set while the daemon ran: a drop-in of its own beside their file, read behind the others.
///
/// Only the daemon writes it, so nothing is lost of what people write by hand.
struct OwnSettings {
    private static let heading =
        "# Written by stoa settings. To remove a line: stoa settings NAME --default\n"
    private static let name = "zz-settings.conf"

    let path: String
    private var values: [Setting: String] = [:]

    /// Where it is, beside the user's own file.
    static func path(beside file: String) -> String { "\(file).d/\(Self.name)" }

    /// Reads it; nothing is set where it is not there.
    ///
    /// - Parameter file: the user's own file, which need not exist.
    init(beside file: String) throws(ConfigurationError) {
        self.path = Self.path(beside: file)
        guard let read = try SettingsFiles.file(self.path, mayLock: false) else { return }
        self.values = read.values.compactMapValues { $0.last?.text }
    }

    /// Takes a value, or none.
    mutating func set(_ setting: Setting, to value: String?) { self.values[setting] = value }

    /// The file as it is to be.
    var text: String {
        var text = Self.heading
        var section = ""
        for setting in Setting.allCases {
            guard let value = self.values[setting] else { continue }
            if setting.description.section != section {
                section = setting.description.section
                text += "\n[\(section)]\n"
            }
            text += "\(setting.key)=\(value)\n"
        }
        return text
    }

    /// Puts it on the disk, whole or not at all.
    func write() throws(SystemError) {
        try Files.makeDirectories(Files.parent(of: self.path))
        try Files.writeAtomically(Array(self.text.utf8), to: self.path, mode: 0o600)
    }
}
