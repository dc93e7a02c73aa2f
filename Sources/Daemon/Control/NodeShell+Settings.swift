internal import ControlAPI
internal import Engine
internal import Loop
internal import Posix

/// Changing a setting from a client: checked, written to the user's own file, then taken up as by a reload.
extension NodeShell {
    /// How soon a change is tried again that came while the files were read or written.
    private static let againMilliseconds: UInt64 = 100

    /// Why a setting is not changed.
    private struct Refusal: Error {
        let error: RPCError
    }

    func change(_ setting: Setting, to value: String?, _ reply: Reply) throws(RPCError) {
        guard let rereading = self.birth.rereading, let file = self.birth.settingsFile else {
            throw .refused(
                "the daemon does not know where your settings are", reason: "noSettingsFile",
                remedy: "set HOME or XDG_CONFIG_HOME for the daemon, and restart it")
        }
        if let place = self.configuration.given.locks[setting] {
            throw .refused(
                "the administrator has locked \(setting.key) in \(place)", reason: "locked",
                remedy: "ask for it to be unlocked")
        }
        if let value {
            do throws(ConfigurationError) { try setting.check(value) } catch {
                throw .refused(error.text, reason: "badValue", remedy: error.remedy, param: "value")
            }
        }
        guard !self.realms.isChanging else { return self.changeLater(setting, to: value, reply) }
        self.realms.isChanging = true
        let isTaken = self.workers.common.run { () -> Result<Configuration, Refusal> in
            Self.write(setting, value, beside: file, rereading)
        } then: { result in
            self.turn {
                self.realms.isChanging = false
                switch result {
                case .failure(let refusal): reply.fail(refusal.error)
                case .success(let configuration):
                    self.takeUp(configuration, self.realms)
                    reply.answer(SettingResult(setting, in: self.configuration))
                }
            }
        }
        guard !isTaken else { return }
        self.realms.isChanging = false
        throw .busy("too much waits to be done")
    }

    /// The files are being read or written by another change or a reload: this one comes behind it.
    private func changeLater(_ setting: Setting, to value: String?, _ reply: Reply) {
        self.after(Self.againMilliseconds) {
            guard self.life.isRunning else { return reply.fail(.shuttingDown()) }
            do throws(RPCError) {
                try self.change(setting, to: value, reply)
            } catch { reply.fail(error) }
        }
    }

    /// Writes a value where nothing overrides it; gives what all files come to then.
    nonisolated private static func write(
        _ setting: Setting, _ value: String?, beside file: String,
        _ rereading: Birth.Rereading
    ) -> Result<Configuration, Refusal> {
        do throws(ConfigurationError) {
            var own = try OwnSettings(beside: file)
            own.set(setting, to: value)
            guard case .run(let configuration) = try rereading(own.text) else {
                preconditionFailure("the same arguments mean the same command")
            }
            let given = configuration.given.values[setting]?.last
            if value != nil, let given, !given.origin.hasPrefix(own.path + ":") {
                return .failure(
                    Refusal(
                        error: .refused(
                            "\(given.place(of: setting)) overrides \(setting.key)",
                            reason: "overridden", remedy: "change or remove it there")))
            }
            do throws(SystemError) { try own.write() } catch {
                return .failure(
                    Refusal(
                        error: RPCError(
                            .storageFailed, "the setting cannot be written: \(error.reason)",
                            reason: "settingsFile", remedy: error.remedy ?? "check \(own.path)")))
            }
            return .success(configuration)
        } catch {
            return .failure(
                Refusal(
                    error: .refused(
                        error.text, reason: "unreadableSettings", remedy: error.remedy)))
        }
    }
}
