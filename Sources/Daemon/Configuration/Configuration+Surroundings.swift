internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Posix

/// What a configuration needs beside the files that it is read from.
extension Configuration {
    /// What a start would refuse with these settings, as problems, and what it takes though it is probably a
    /// mistake, as warnings.
    ///
    /// Looks at the group of the socket, the files of realms and the network; changes nothing.
    ///
    /// - Parameter known: what opens the files, where the node is open; without it nothing is said of locked ones.
    func findings(_ known: Safe? = nil) -> [Finding] {
        var findings: [Finding] = []
        func add(_ severity: Finding.Severity, _ text: String, remedy: String) {
            findings.append(Finding("settings", severity, text, remedy: remedy))
        }
        do throws(StartError) { _ = try self.socketGroupNumber() } catch {
            add(.problem, error.text, remedy: error.remedy)
        }
        if let name = self.interface {
            do throws(SystemError) { _ = try NetworkInterface.named(name) } catch {
                // It may be unplugged at the moment, and a daemon that runs does without.
                add(
                    .warning,
                    "\(self.place(of: .interface)): there is no network interface "
                        + "\"\(TerminalText.line(name))\" now, and the daemon cannot start "
                        + "without it",
                    remedy:
                        "connect it, correct it, or remove it to use all interfaces; \(error.remedy ?? "see: ip link")"
                )
            }
        }
        do throws(StartError) {
            let file = SafeFile(in: self.dataDirectory)
            let found = if let known { known as Safe? } else { try file.peekUnlessLocked() }
            guard let safe = found else { return findings }
            let realms = try RealmFiles(dataDirectory: self.dataDirectory, safe: safe).load().realms
            if let finding = self.unknownRealm(among: realms.map(\.name)) {
                findings.append(finding)
            }
        } catch { add(.problem, error.text, remedy: error.remedy) }
        return findings
    }

    /// A warning where the realm of rooms whose name stands alone is neither the open one nor one of those that the
    /// user is in: it may be joined later.
    func unknownRealm(among joined: [RealmName]) -> Finding? {
        let names = [RealmName.open] + joined
        guard !names.contains(self.defaultRealm) else { return nil }
        return Finding(
            "settings", .warning,
            "\(self.place(of: .realm)): you are in no realm \"\(self.defaultRealm.text)\", so "
                + "a room must be written with its realm",
            remedy: "join it with stoa realm join FILE, or correct it: there are "
                + names.map(\.text).joined(separator: ", "))
    }

    /// Where what counts of a setting was given: file, line and key, or the flag.
    private func place(of setting: Setting) -> String {
        self.given.values[setting]?.last?.origin ?? setting.key
    }

    /// The number of the group whose members may use the socket; nil where none may.
    func socketGroupNumber() throws(StartError) -> UInt32? {
        guard let name = self.socketGroup else { return nil }
        if let group = ProcessEnvironment.group(named: name) { return group }
        throw StartError(
            "there is no group \"\(TerminalText.line(name))\", which SocketGroup= names",
            remedy: "create it with groupadd, or correct the setting", exitCode: .configuration)
    }
}
