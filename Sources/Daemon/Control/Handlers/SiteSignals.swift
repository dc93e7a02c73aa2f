internal import ControlAPI
internal import Engine
internal import Formats

/// What nothing stores, on its way to other sites: the node says when it is due.
extension NodeShell {
    /// Something may be to be told there: whoever waits for that looks again.
    func siteSignalsMayBeDue() {
        if self.clients.waitingExport != nil {
            self.resumeExportSoon()
        } else {
            self.clients.isExportStale = true
        }
    }

    /// Adds what is due to a page.
    func addSignals(_ page: SitePage, then: @escaping (SitePage) -> Void) {
        let places = page.places
        self.request(
            .siteSignals(places),
            PendingRequest(
                nil,
                then: .told { told, next in
                    var page = page
                    page.result.listens = self.node.ask {
                        $0.siteListening(places).map(\.tag).sorted()
                    }
                    if !told.isEmpty {
                        page.result.signals = told.map {
                            ExportItemsMethod.Item(.signal($0.signal), $0.root, isOwn: true)
                        }
                    }
                    if let next { self.lookForSignals(at: next) }
                    then(page)
                }))
    }

    /// Has whoever waits at that moment look again; one timer for all that is due.
    private func lookForSignals(at moment: UInt64) {
        if let due = self.clients.signalsDueAt, due <= moment, due > self.now.monotonic { return }
        self.clients.signalsDueAt = moment
        self.after(moment - min(moment, self.now.monotonic)) {
            guard self.clients.signalsDueAt == moment else { return }
            self.clients.signalsDueAt = nil
            if self.clients.waitingExport != nil { self.resumeExport() }
        }
    }
}
