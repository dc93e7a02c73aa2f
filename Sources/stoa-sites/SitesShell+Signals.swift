import ControlAPI
import ControlClient
import DaemonCalls
import Posix
import Sites

/// Who is there and who writes goes beside everything else: published once or lost, and heard or not.
extension SitesShell {
    /// Publishes what a page has of it, and hears where the page says.
    func tellSignals(of page: ExportItemsMethod.Result) {
        guard let servers = self.servers, servers.passesSignals, let tags = page.listens else {
            return
        }
        servers.listen(to: tags)
        let items = (page.signals ?? []).map {
            SiteOutgoing.Item(subject: $0.subject, data: $0.data.bytes)
        }
        if !items.isEmpty { servers.publishSignals(items) }
    }

    /// When something that was heard is to be given to the daemon.
    var hearingDue: UInt64? { self.watcher?.hearing.withLock { $0.nextDue } }

    /// Gives the daemon what was heard; false where nothing is due.
    func giveSignals(to daemon: DaemonCaller) -> Bool {
        let items = self.watcher?.hearing.withLock { $0.take(at: Self.now) } ?? []
        guard !items.isEmpty else { return false }
        self.isImporting = true
        daemon.ask(ImportItemsMethod.self, Self.params(items)) { [unowned self] outcome in
            self.isImporting = false
            switch outcome {
            case .result(let json):
                let result = Received<ImportItemsMethod.Result>(json).value
                self.watcher?.hearing.withLock { $0.given(result.outcomes) }
                self.repair(result.asked ?? [])
                self.tellReport()
                self.importMore()
            case .failure(let error):
                self.refused(error)
            }
            self.schedule()
        }
        return true
    }

    /// The servers do not know the right: all else goes on.
    func signalsRefused() {
        guard let servers = self.servers, servers.passesSignals else { return }
        servers.passesSignals = false
        servers.listen(to: [])
        self.report.signalsStopped(
            "the servers do not allow stoa-now.*.* for this user; see Docs/Sites.md for the rights")
    }

    /// Another server may know the right.
    func signalsMayPass() {
        guard let servers = self.servers, !servers.passesSignals else { return }
        servers.passesSignals = true
        self.report.signalsStopped(nil)
    }

    func tellReport() {
        self.report.incoming(
            self.incoming, self.files.wants,
            self.watcher?.hearing.withLock { $0.refused } ?? [:])
    }
}
