import ControlAPI
import ControlClient
import DaemonCalls
import Sites

/// What has vanished from the servers: this program asks others for what is missing here, and publishes again what others
/// ask for.
extension SitesShell {
    /// When something of it is due; nil where nothing is.
    var asksDue: UInt64? {
        [self.servers?.passesSignals == true ? self.asks.nextDue : nil, self.repairs.nextDue]
            .compactMap { $0 }.min()
    }

    /// Notes what the servers were found not to have.
    func noteMissing() {
        for item in self.incoming.takeStranded() {
            self.asks.lacks(before: item.subject, isKnown: item.isKnown, at: Self.now)
        }
    }

    /// Asks others for what an item waits for that is still missing.
    func askForMissing() {
        guard let servers = self.servers, servers.passesSignals,
            let subject = self.asks.next(at: Self.now)
        else { return }
        do throws(ServerError) {
            guard let waiting = try servers.message(subject) else {
                return self.asks.settled(subject)
            }
            var params = Self.params([waiting])
            params.asks = true
            self.callers.judge?.ask(ImportItemsMethod.self, params) { [unowned self] outcome in
                guard case .result(let json) = outcome,
                    let said = Received<ImportItemsMethod.Result>(json).value.outcomes.first
                else { return }
                // It may be taken by now.
                self.incoming.heard(said, at: Self.now)
                self.ask(for: said, before: subject)
                self.schedule()
            }
        } catch {
            self.fail(error)
        }
    }

    private func ask(for said: ImportItemsMethod.Outcome, before subject: String) {
        guard said.verdict == .waits else { return self.asks.settled(subject) }
        guard let ask = said.ask else { return self.asks.unasked(subject, at: Self.now) }
        guard let servers = self.servers, servers.passesSignals else { return }
        servers.publishSignals([SiteOutgoing.Item(subject: ask.subject, data: ask.data.bytes)])
        self.asks.asked(subject, missing: ask.missing, at: Self.now)
    }

    /// Others have asked for this.
    func repair(_ items: [ExportItemsMethod.Item]) {
        self.repairs.take(items, at: Self.now) { UInt64.random(in: $0) }
    }

    /// Publishes what others have asked for where it is still missing.
    func publishRepairs() {
        guard let servers = self.servers else { return }
        for item in self.repairs.due(at: Self.now) {
            do throws(ServerError) {
                guard let there = try servers.message(item.subject) else {
                    // Where little is left, servers would drop other messages for it, and these would be missed.
                    if self.report.hasRoom { self.publishAgain(item) }
                    continue
                }
                if !there.isSame(as: item) { self.replace(there, with: item) }
            } catch {
                return self.fail(error)
            }
        }
    }

    private func publishAgain(_ item: SiteOutgoing.Item) {
        // Where that fails, it is asked for again.
        _ = self.publish([item], of: nil)
    }

    private func replace(_ there: SiteOutgoing.Item, with item: SiteOutgoing.Item) {
        self.callers.judge?.ask(ImportItemsMethod.self, Self.params([there])) {
            [unowned self] outcome in
            guard case .result(let json) = outcome,
                let said = Received<ImportItemsMethod.Result>(json).value.outcomes.first,
                SiteOutgoing.replaces(item, said.verdict)
            else { return }
            self.publishAgain(item)
        }
    }
}
