internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// Proofs that somebody has signed two histories, on their way to other sites: all of them once after each that is new,
/// and after a start, since a program knows which it has published.
extension NodeShell {
    /// The most proofs in a page.
    private static let forksPerPage = 64

    /// Adds what is due of them.
    func addForks(_ page: SitePage, then: @escaping (SitePage) -> Void) {
        let changes = self.node.ask { $0.forkChanges(page.places) } &+ 1
        let before = page.next.forks
        guard before.changes != changes || before.count < Int.max else { return then(page) }
        var page = page
        if before.changes != changes { page.next.forks = SiteGiftPlace(changes: changes) }
        let forks = self.node.ask { $0.siteForks(page.places) }
        let due = Array(forks.dropFirst(page.next.forks.count).prefix(Self.forksPerPage))
        guard !due.isEmpty else {
            page.next.forks.count = Int.max
            return then(page)
        }
        let place = page.next.forks.count
        self.ask { (store) async throws(StoreFailure) in
            var proofs: [ForkProof?] = []
            for key in due { proofs.append(try await store.forkProof(key)) }
            return proofs
        } then: { found in
            var bytes = page.result.items.reduce(0) { $0 + $1.data.bytes.count }
            // What the store cannot read it says elsewhere.
            let proofs = (try? found.get()) ?? due.map { _ in nil }
            page.next.forks.count = place + due.count
            for (index, proof) in proofs.enumerated() {
                guard let proof, let root = page.places[proof.key.conversation]?.root else {
                    continue
                }
                var item = ExportItemsMethod.Item(.fork(proof), root, isOwn: false)
                item.replaces = true
                guard item.data.bytes.count <= ControlLimits.siteItemBytes else { continue }
                bytes += item.data.bytes.count
                guard bytes <= ControlLimits.siteBytes || page.result.items.isEmpty else {
                    page.next.forks.count = place + index
                    break
                }
                page.result.items.append(item)
            }
            page.result.more = true
            then(page)
        }
    }
}
