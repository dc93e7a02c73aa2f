internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Taking up a changed configuration without ending anything.
extension NodeShell {
    /// How soon a reload is tried again that came while the daemon was busy with another one.
    private static let reloadAgainMilliseconds: UInt64 = 100

    /// Why nothing is taken up.
    private enum Refusal: Error {
        case configuration(ConfigurationError)
        case realms(StartError)

        var text: String {
            switch self {
            case .configuration(let error): error.description
            case .realms(let error): error.description
            }
        }
    }

    /// Takes up what the files say now, as ``DaemonRun/requestReload()``.
    func reload() {
        guard self.life.isRunning else { return }
        guard let rereading = self.birth.rereading else { return }
        guard !self.realms.isChanging else { return self.reloadLater() }
        Readiness.reloading()
        self.realms.isChanging = true
        let (files, isOnlyReading) = (self.realmFiles, self.birth.isOnlyReading)
        let isTaken = self.workers.common.run {
            () -> Result<(Configuration, StoredRealms), Refusal> in
            do throws(ConfigurationError) {
                guard case .run(let configuration) = try rereading(nil) else {
                    preconditionFailure("the same arguments mean the same command")
                }
                do throws(StartError) {
                    let realms = try files.load()
                    // The user may have put one there.
                    if !isOnlyReading { try files.seal() }
                    return .success((configuration, realms))
                } catch { return .failure(.realms(error)) }
            } catch { return .failure(.configuration(error)) }
        } then: { result in
            self.turn {
                self.realms.isChanging = false
                self.reread(result)
            }
        }
        guard isTaken else {
            self.realms.isChanging = false
            return self.reloadLater()
        }
    }

    private func reloadLater() {
        self.after(Self.reloadAgainMilliseconds) { self.reload() }
    }

    private func reread(_ result: Result<(Configuration, StoredRealms), Refusal>) {
        guard self.life.isRunning else { return }
        switch result {
        case .failure(let refusal):
            self.log(
                .error, "the configuration is not applied: \(refusal.text); nothing changes")
            Readiness.ready(status: "\(self.readyStatus); the changed configuration was refused")
        case .success(let (configuration, realms)):
            self.takeUp(configuration, realms)
            Readiness.ready(status: self.readyStatus)
        }
    }

    func takeUp(_ new: Configuration, _ realms: StoredRealms) {
        let old = self.configuration
        for line in new.overruled { self.log(.warning, line) }
        let changes = old.changes(to: new)
        let later = changes.filter { $0.description.effect == .start }
        self.configuration.takeUp(new)
        self.log.change(threshold: self.configuration.logLevel)
        self.realms = realms
        self.warnOfUnknownRealm()
        self.happened(.realms(self.nodeRealms))
        self.after(0) { self.resumeExport() }
        self.happened(.preferences(new.preferences))
        self.tellReach()
        for setting in Setting.ofUsers
        where old.given.values[setting]?.last?.text != new.given.values[setting]?.last?.text {
            self.happened(.set(setting.key, SettingResult(setting, in: self.configuration).value))
        }
        for peer in new.peers where !old.peers.contains(peer) { self.follow(peer) }
        self.startMetrics()
        self.beginIdleTime()
        self.followSleep()
        let now = changes.filter { $0.description.effect == .reload }.map(\.key)
        self.log(
            .notice,
            now.isEmpty
                ? "the configuration was read again" : "applied: \(now.joined(separator: ", "))")
        if !later.isEmpty {
            self.log(
                .warning,
                "\(later.map(\.key).joined(separator: ", ")) will change at the next start: "
                    + "systemctl --user restart stoad")
        }
    }
}
