import TestSupport
import Testing

@testable import Daemon

@Suite("The manual pages of the settings")
struct SettingsPageTests {
    @Test("have each setting of the table; STOA_WRITE_MAN=1 writes them anew")
    func published() {
        #expect(GeneratedPage("stoad.conf.5").holds([("settings", Self.keys)]))
        #expect(GeneratedPage("stoad.8").holds([("settings", Self.flags)]))
    }

    @Test("an installed stoad.conf names each key of the table and sets none")
    func installed() throws {
        #expect(GeneratedPage("stoad.conf").holds(Self.template))
        let path = "/etc/stoa/stoad.conf"
        let file = try ConfigurationFile(Self.template, path: path, mayLock: true)
        #expect(file == (try ConfigurationFile("", path: path, mayLock: true)))
        // Without its # each line is a setting in the section where it belongs.
        let opened = Self.template.replacing(/(?m)^#(?=[A-Z])/, with: "")
        let all = try ConfigurationFile(opened, path: path, mayLock: true)
        #expect(Setting.allCases.allSatisfy { all.values[$0]?.count == 1 })
        #expect(Set(all.locks.keys) == [.realm, .openRealm])
    }

    /// `stoad.conf` as an administrator finds it: all settings, and none of them counts.
    private static var template: String {
        var text = """
            # Settings of the Stoa daemon for everybody on this machine: see stoad.conf(5).
            #
            # A line counts without its # and with a value. What users write in ~/.config/stoa goes before
            # it, but for the keys that Lock= names. `stoad --check-config` says what all of it comes to.

            """
        var section = ""
        for setting in Setting.allCases {
            let description = setting.description
            if description.section != section {
                section = description.section
                text += "\n[\(section)]\n"
            }
            text += "# \(Self.sentence(description.help)) Default: \(description.fallback).\n"
            text += "#\(setting.key)=\(description.valueShape)\n"
        }
        text += "\n[Administrator]\n# The keys of which users may say nothing.\n"
        return text + "#Lock=Realm OpenRealm\n"
    }

    private static var keys: String {
        var text = ""
        var section = ""
        for setting in Setting.allCases {
            let description = setting.description
            if description.section != section {
                section = description.section
                text += ".SS [\(section)]\n"
            }
            text += ".TP\n.BI \(setting.key)= \(GeneratedPage.roff(description.valueShape))\n"
            let sentences = [
                Self.sentence(description.help), "Default: \(description.fallback).",
                description.details, description.effect.rawValue,
                description.isList ? "May be given several times." : "",
            ]
            text += sentences.filter { !$0.isEmpty }.map { GeneratedPage.roff($0) + "\n" }.joined()
        }
        return text
    }

    private static var flags: String {
        Setting.allCases.map { setting in
            let flag = GeneratedPage.roff(setting.flag)
            let shape = GeneratedPage.roff(setting.description.valueShape)
            return ".TP\n.BI \(flag) \" \(shape)\"\n"
                + GeneratedPage.roff(Self.sentence(setting.description.help)) + "\n"
        }.joined()
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
