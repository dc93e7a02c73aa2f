internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// What somebody lacks and no server has: this node looks whether it has that.
extension NodeShell {
    /// What asks others for what an item waits for; nil where it waits for nothing that is known to be missing.
    func ask(
        for item: SiteItem?, _ verdict: SiteVerdict, _ realm: Realm
    ) -> ImportItemsMethod.Ask? {
        guard case .waits(let name) = verdict, let item,
            let (ask, root) = self.node.ask({ $0.siteAsk(for: item, needing: name, in: realm) })
        else { return nil }
        return ImportItemsMethod.Ask {
            $0.subject = root.subject(of: .signal)
            $0.data = Base64(root.seal(.ask(ask)))
            $0.missing = Int64(clamping: ask.missing)
        }
    }

    /// Gives what is asked for, as far as it is here and shared, about so many bytes: of each ask its part of what is left.
    func answer(
        _ asks: [SiteAsk], of realm: Realm, byteLimit: Int,
        then: @escaping ([ExportItemsMethod.Item]) -> Void
    ) {
        let places = self.node.ask { $0.sitePlaces(of: realm) }
        self.answer(
            asks[...], places, SiteAnswer(items: [], bytesLeft: byteLimit), then: then)
    }

    private func answer(
        _ asks: ArraySlice<SiteAsk>, _ places: [ConversationID: SitePlace], _ answer: SiteAnswer,
        then: @escaping ([ExportItemsMethod.Item]) -> Void
    ) {
        guard let ask = asks.first, answer.bytesLeft > 0 else { return then(answer.items) }
        let rest = asks.dropFirst()
        guard let place = places[ask.conversation], place.scope == .all else {
            return self.answer(rest, places, answer, then: then)
        }
        var answer = answer
        let part = answer.bytesLeft / asks.count
        // An own item that is published at once says that its author is on.
        let isToTell = self.configuration.tellsPresence
        switch ask.what {
        case .act(let id):
            let (own, acts) = self.node.ask { node in
                (node.id, node.siteActs(through: id, of: ask.conversation))
            }
            let end = answer.bytesLeft - part
            for (act, root) in acts where answer.bytesLeft > end {
                let isOwn = isToTell && act.statement.device == own
                answer.add(ExportItemsMethod.Item(.act(act), root, isOwn: isOwn))
            }
            self.answer(rest, places, answer, then: then)
        case .runs(let name, let first, let last):
            let log = LogKey(conversation: ask.conversation, name: name)
            let keyring = self.keyring
            self.ask { (store) async throws(StoreFailure) in
                try await store.runs(
                    of: log, from: first, through: last, isGroup: place.sort == .group,
                    by: keyring, byteLimit: part)
            } then: { found in
                var answer = answer
                // What the store cannot read it says elsewhere.
                for element in (try? found.get()) ?? [] {
                    guard let root = self.root(of: element, places) else { continue }
                    var item = ExportItemsMethod.Item(
                        .run(element.run), root,
                        isOwn: isToTell && self.isOwnLog(element.run.key))
                    item.replaces = element.replaces ? true : nil
                    answer.add(item)
                }
                self.answer(rest, places, answer, then: then)
            }
        }
    }
}

/// What is given where something is asked for.
private struct SiteAnswer {
    var items: [ExportItemsMethod.Item]
    var bytesLeft: Int

    mutating func add(_ item: ExportItemsMethod.Item) {
        self.items.append(item)
        self.bytesLeft -= item.data.bytes.count
    }
}
