/// What the user has chosen, and how things stand at the desktop.
package struct NotifierSettings: Equatable, Sendable {
    /// The hours in which nothing is shown; nil for none.
    package var quiet: QuietHours?
    /// Whether the text of secret rooms is shown, too.
    package var showsSecretTexts = false
    /// Whether the desktop wants not to be disturbed.
    package var isInhibited = false

    /// Nothing chosen.
    package init() {}
}

/// The file of what the user has chosen: a line each, `Quiet=20:00-08:00` and `SecretTexts=yes`.
package enum NotifierFile {
    /// The largest file that is read, in bytes.
    package static let bytes = 4_096

    /// Where it is, by the environment; nil where neither `XDG_CONFIG_HOME` nor `HOME` says.
    package static func path(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/stoa/notify.conf"
        }
        return environment["HOME"].map { $0 + "/.config/stoa/notify.conf" }
    }

    /// Reads it; what cannot be read is as if it were not there.
    package static func settings(_ text: String) -> NotifierSettings {
        var settings = NotifierSettings()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "Quiet": settings.quiet = QuietHours(parts[1])
            case "SecretTexts": settings.showsSecretTexts = parts[1] == "yes"
            default: continue
            }
        }
        return settings
    }

    /// As it is written.
    package static func text(_ settings: NotifierSettings) -> String {
        var text = "# Written by: stoa notify\n"
        if let quiet = settings.quiet { text += "Quiet=\(quiet.text)\n" }
        if settings.showsSecretTexts { text += "SecretTexts=yes\n" }
        return text
    }
}
