internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Storage

extension ExportItemsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        _ = try shell.sitesRealm()
        shell.export(params, reply)
    }
}

extension ImportItemsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let realm = try shell.sitesRealm()
        if let problem = params.problem {
            shell.happened(.sites(problem.isEmpty ? nil : problem))
        }
        let tags = shell.node.ask { $0.siteTags(of: realm) }
        let subjects = params.items.map { SiteSubject($0.subject) }
        let roots = subjects.map { $0.flatMap { tags[$0.tag] } }
        let items = zip(params.items, roots).map { item, root in
            root?.open(item.data.bytes, subject: item.subject)
        }
        let admitted = shell.node.ask { node in
            zip(items, roots).map { item, root in
                item.flatMap { item in
                    root.flatMap { node.admits(item, under: $0) ? item : nil }
                }
            }
        }
        shell.request(
            .importItems(admitted),
            PendingRequest(
                reply,
                then: .imported { verdicts in
                    // A letter may bring a key, and so others to follow.
                    let now = shell.node.ask { $0.siteTags(of: realm) }
                    if now.keys != tags.keys { shell.after(0) { shell.resumeExport() } }
                    var result = Result()
                    result.outcomes = zip(verdicts, roots).map { Outcome($0, $1) }
                    for (index, verdict) in verdicts.enumerated() {
                        guard case .waits = verdict, let item = admitted[index] else { continue }
                        let isKnown = shell.node.ask { $0.isByKnown(item) }
                        result.outcomes[index].known = isKnown ? true : nil
                        if params.asks == true {
                            result.outcomes[index].ask = shell.ask(
                                for: item, verdict, realm)
                        }
                    }
                    let asks = verdicts.compactMap { verdict in
                        if case .asks(let ask) = verdict { ask } else { nil }
                    }
                    guard !asks.isEmpty else { return reply.answer(result) }
                    shell.answer(asks, of: realm, byteLimit: NodeShell.exportBytes) { items in
                        result.asked = items.isEmpty ? nil : items
                        reply.answer(result)
                    }
                }))
    }
}

/// A subject of an item, taken apart.
private struct SiteSubject {
    let tag: String

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let prefixes = [SiteRoot.prefix, SiteRoot.filesPrefix, SiteRoot.signalsPrefix]
        guard parts.count == 3, prefixes.contains(String(parts[0])) else { return nil }
        self.tag = String(parts[1])
    }
}

extension ImportItemsMethod.Outcome {
    fileprivate init(_ verdict: SiteVerdict, _ root: SiteRoot?) {
        self.init()
        switch verdict {
        case .taken: self.verdict = .taken
        case .known, .asks: self.verdict = .known
        case .waits(let name):
            self.verdict = .waits
            self.needs = root?.subject(of: name)
        case .refused(let refusal):
            self.verdict =
                switch refusal {
                case .unsealed: .unsealed
                case .foreign: .foreign
                case .forged: .forged
                case .forked: .forked
                case .room: .room
                case .early: .early
                }
        }
    }
}

/// How far a program has taken what is for other sites, as it keeps it for this node.
struct SiteCursor: Equatable {
    /// The beginnings of the realm's tag, which is another one with each secret, and of the node's key: what this is of.
    let mark: String
    /// Up to where all runs were given.
    var runs = ArrivalPlace()
    /// At which change of the records all were given; nil for never since the daemon's start.
    var changes: UInt64?
    /// At which change a round over the records began that is not over, and how many of it were given.
    var round: (changes: UInt64, count: Int)?
    /// What of the tags was told.
    var tags = ""
    /// Of which conversations of two and groups things were given.
    var pairs = ""
    /// Which parts of files were wanted when that was told last; empty for none.
    var wants = ""
    /// Up to where all files of rooms were given.
    var files = SiteFilePlace()
    /// The same of conversations of two and groups.
    var lateFiles = SiteFilePlace()
    /// How many of the acts that have come since the daemon's start were given.
    var acts = 0
    /// At which change keys for members without a link were given last, and how many of these.
    var gifts = SiteGiftPlace()
    /// The same of proofs that somebody has signed two histories.
    var forks = SiteGiftPlace()

    private static let markCharacters = 8

    /// Reads ``text(boot:)``: from the beginning where it is of another secret or node, or none.
    init(_ text: String?, _ root: SiteRoot, of node: PeerID, boot: UInt64) {
        self.mark = String(
            root.tag.prefix(Self.markCharacters) + node.description.prefix(Self.markCharacters))
        let parts = (text ?? "").split(separator: "-", omittingEmptySubsequences: false)
            .map(String.init)
        // One from before forks went out has two parts fewer.
        guard [17, 19].contains(parts.count), parts[0] == self.mark else { return }
        let numbers = parts[2...6].map { UInt64($0, radix: 36) }
        guard let arrival = Int64(parts[1], radix: 36), arrival >= 0,
            let within = numbers[0].flatMap({ Int(exactly: $0) })
        else { return }
        self.runs = ArrivalPlace(arrival: arrival, within: within)
        (self.tags, self.pairs, self.wants) = (parts[7], parts[8], parts[9])
        self.files = SiteFilePlace(parts[10], parts[11])
        self.lateFiles = SiteFilePlace(parts[12], parts[13])
        guard numbers[1] == boot else { return }
        self.changes = numbers[2]
        self.acts = Int(parts[14], radix: 36) ?? 0
        self.gifts = SiteGiftPlace(parts[15], parts[16])
        if parts.count == 19 { self.forks = SiteGiftPlace(parts[17], parts[18]) }
        if let changes = numbers[3], let count = numbers[4].flatMap({ Int(exactly: $0) }) {
            self.round = (changes, count)
        }
    }

    func text(boot: UInt64) -> String {
        func word(_ number: UInt64?) -> String { number.map { String($0, radix: 36) } ?? "_" }
        return [
            self.mark, String(self.runs.arrival, radix: 36), String(self.runs.within, radix: 36),
            word(boot), word(self.changes), word(self.round?.changes),
            word(self.round.map { UInt64($0.count) }), self.tags, self.pairs, self.wants,
            self.files.text, self.lateFiles.text, String(self.acts, radix: 36), self.gifts.text,
            self.forks.text,
        ].joined(separator: "-")
    }

    /// A short text that is another one for other tags.
    static func print(of tags: [String]) -> String {
        let hash = BLAKE2b.hash256(Array(tags.joined(separator: " ").utf8))
        return String(Base32.encode(hash.bytes).prefix(Self.markCharacters))
    }

    static func == (left: SiteCursor, right: SiteCursor) -> Bool {
        left.text(boot: 0) == right.text(boot: 0)
    }
}

/// A request for items that waits until there are some.
struct WaitingExport {
    let params: ExportItemsMethod.Params
    let reply: Reply
}

extension NodeShell {
    /// How many runs are sealed at once, in bytes.
    static var exportBytes: Int { ControlLimits.siteBytes / 2 }
    /// Of letters for members of groups: one more may be 70,000.
    static var giftBytes: Int { exportBytes / 2 }
    /// After how long without a question the program is not there any more.
    private static var absentMilliseconds: UInt64 { 90_000 }
    /// How often records go out at most where nothing else does.
    private static var recordsMilliseconds: UInt64 { 2_000 }

    /// The realm that is shared with other sites.
    func sitesRealm() throws(RPCError) -> Realm {
        guard !self.configuration.sites.servers.isEmpty, let name = self.configuration.sites.realm
        else {
            throw .refused(
                "nothing is shared between sites: Sites and SitesRealm are not both set",
                reason: "noSites",
                remedy: "set both in stoad.conf, then run: systemctl --user reload stoad")
        }
        guard let realm = self.node.ask({ $0.realms.realm(named: name) }) else {
            throw .refused(
                "this node is not in the realm \(name), which SitesRealm names",
                reason: "notInRealm",
                remedy: "join it (stoa realm join), or name another one: stoa realm list")
        }
        return realm
    }

    /// Whether a program takes what is said in a conversation to other sites.
    func goesToSites(_ id: ConversationID) -> Bool {
        let isThere =
            self.clients.waitingExport?.reply.asker != nil
            || self.clients.exportedAt.map({ self.now.monotonic < $0 + Self.absentMilliseconds })
                ?? false
        guard isThere, let realm = try? self.sitesRealm(),
            !self.node.ask({ $0.hasAlert(.sites) })
        else { return false }
        return self.node.ask { $0.sitePlaces(of: realm)[id] != nil }
    }

    /// Gives what has come since, or waits for it.
    func export(_ params: ExportItemsMethod.Params, _ reply: Reply) {
        let realm: Realm
        do throws(RPCError) { realm = try self.sitesRealm() } catch { return reply.fail(error) }
        self.clients.exportedAt = self.now.monotonic
        self.clients.isExportStale = false
        let places = self.node.ask { $0.sitePlaces(of: realm) }
        let scopes = places.mapValues(\.scope)
        let groups = Set(places.filter { $0.value.sort == .group }.keys)
        let keyring = self.keyring
        let cursor = self.siteCursor(params.after, realm, places)
        self.ask { (store) async throws(StoreFailure) in
            try await store.runs(
                since: cursor.runs, in: scopes, groups: groups, by: keyring,
                byteLimit: Self.exportBytes)
        } then: { found in
            switch found {
            case .failure(let failure): reply.fail(RPCError(failure))
            case .success(let runs):
                // A conversation that has begun meanwhile was passed over.
                let now = self.node.ask { $0.sitePlaces(of: realm) }.mapValues(\.scope)
                guard now == scopes else { return self.export(params, reply) }
                let page = SitePage(
                    params: params, realm: realm, places: places, cursor: cursor, next: cursor)
                self.answer(page, reply, runs)
            }
        }
    }

    /// Where a program continues; from the start where other conversations of two or groups are shared than before.
    private func siteCursor(
        _ text: String?, _ realm: Realm, _ places: [ConversationID: SitePlace]
    ) -> SiteCursor {
        let everybody = SiteRoot(RealmSecret(realm: realm.id, bytes: realm.secret))
        var cursor = SiteCursor(
            text, everybody, of: self.node.ask { $0.id }, boot: self.birth.boot)
        let late = places.filter(\.value.isLate).map { "\($0.key)" }
        let pairs = SiteCursor.print(of: late.sorted())
        if cursor.pairs != pairs {
            (cursor.runs, cursor.pairs) = (ArrivalPlace(), pairs)
            cursor.lateFiles = SiteFilePlace()
            cursor.acts = 0
        }
        return cursor
    }

    private func answer(_ page: SitePage, _ reply: Reply, _ found: ArrivedRuns) {
        var page = page
        self.addActs(&page)
        // A run is of use to nobody who lacks the acts that let its author write it.
        guard page.result.more == nil else { return self.finish(page, reply) }
        page.next.runs = found.through
        for element in found.runs {
            guard let root = self.root(of: element, page.places) else { continue }
            var item = ExportItemsMethod.Item(
                .run(element.run), root, isOwn: self.isOwnLog(element.run.key))
            item.replaces = element.replaces ? true : nil
            page.result.items.append(item)
            if item.mine == true,
                let letter = self.letter(
                    element.run, in: page.realm, isAnew: element.replaces)
            {
                page.result.items.append(letter)
            }
        }
        if found.isAll {
            self.addRecords(
                of: page.realm, &page.next, &page.result, waits: page.params.wait == true)
        } else {
            page.result.more = true
        }
        // Texts go first, and what comes after beside many of them would be more than one line may have.
        let bytes = page.result.items.reduce(0) { $0 + $1.data.bytes.count }
        if bytes > Self.exportBytes / 2 { page.result.more = true }
        guard page.result.more == nil else { return self.finish(page, reply) }
        self.addGifts(page) { page in
            guard page.result.more == nil else { return self.finish(page, reply) }
            self.addForks(page) { page in
                guard page.params.files == true, page.result.more == nil else {
                    return self.finish(page, reply)
                }
                self.addFiles(page) { self.finish($0, reply) }
            }
        }
    }

    /// Answers with a page, to which is added what nothing stores, or waits where there is nothing.
    private func finish(_ page: SitePage, _ reply: Reply) {
        guard page.params.signals == true, page.result.more == nil else {
            return self.conclude(page, reply)
        }
        self.addSignals(page) { self.conclude($0, reply) }
    }

    private func conclude(_ page: SitePage, _ reply: Reply) {
        let (params, realm, cursor) = (page.params, page.realm, page.cursor)
        var (result, next) = (page.result, page.next)
        result.tags = self.node.ask { $0.siteTags(of: realm).keys.sorted() }
        next.tags = SiteCursor.print(of: result.tags + (result.listens ?? []))
        if params.files == true {
            let limit = self.configuration.sites.fileBytes
            result.fileLimit = Int64(clamping: limit)
            result.wants = self.node.ask { $0.siteWants(of: realm, upTo: limit) }
        }
        next.wants = result.wants.map { $0.isEmpty ? "" : SiteCursor.print(of: $0) } ?? ""
        result.cursor = next.text(boot: self.birth.boot)
        if params.wait == true, result.items.isEmpty, result.more == nil, result.signals == nil,
            next.tags == cursor.tags, next.wants == cursor.wants
        {
            self.endWaitingExport()
            // What was looked at in vain is not looked at again.
            var params = params
            params.after = result.cursor
            self.clients.waitingExport = WaitingExport(params: params, reply: reply)
            // Something came while files were looked for.
            if self.clients.isExportStale { self.resumeExportSoon() }
            return
        }
        result.servers = self.configuration.sites.servers
        result.credentials = self.configuration.sites.credentials
        reply.answer(result)
    }

    /// The letter that carries one of the user's runs to a person until they let the user in.
    ///
    /// - Parameter isAnew: whether a text of it was deleted, which may be in a letter from before they let the user in.
    private func letter(
        _ run: Run, in realm: Realm, isAnew: Bool
    ) -> ExportItemsMethod.Item? {
        self.node.ask { node in
            let conversation = run.key.conversation
            guard isAnew || !node.isAnswered(conversation),
                let inbox = node.siteInbox(of: conversation, in: realm),
                let letter = node.siteLetter(run, to: inbox)
            else { return nil }
            return ExportItemsMethod.Item(letter, inbox.root, isOwn: true)
        }
    }

    func root(
        of element: ArrivedRuns.Element, _ places: [ConversationID: SitePlace]
    ) -> SiteRoot? {
        let id = element.run.key.conversation
        guard let place = places[id], place.sort == .group else { return places[id]?.root }
        return element.key.flatMap { key in self.node.ask { $0.siteRoot(of: id, under: key) } }
    }

    /// Adds acts of groups that have come since, and says where there are more.
    private func addActs(_ page: inout SitePage) {
        let (realm, place) = (page.realm, page.next.acts)
        let (own, found, count) = self.node.ask { node in
            (
                node.id, node.siteActs(of: realm, from: place, bytes: Self.exportBytes / 2),
                node.actCount
            )
        }
        for (act, root) in found.acts {
            page.result.items.append(
                ExportItemsMethod.Item(.act(act), root, isOwn: act.statement.device == own))
        }
        page.next.acts = found.through
        if found.through < count { page.result.more = true }
    }

    func isOwnLog(_ key: LogKey) -> Bool { key.name.author == self.node.ask { $0.id } }

    /// Adds records, all of them where any has changed since they were given: a program knows which it has published.
    private func addRecords(
        of realm: Realm, _ cursor: inout SiteCursor, _ result: inout ExportItemsMethod.Result,
        waits: Bool
    ) {
        let changes = self.node.ask { $0.recordChanges }
        guard cursor.changes != changes || cursor.round != nil else { return }
        // Each message that is read changes some: they go together.
        let due = self.clients.recordsExportedAt + Self.recordsMilliseconds
        if waits, result.items.isEmpty, cursor.changes != nil, cursor.round == nil,
            self.now.monotonic < due
        {
            return self.after(due - self.now.monotonic) { self.resumeExport() }
        }
        self.clients.recordsExportedAt = self.now.monotonic
        var round = cursor.round ?? (changes, 0)
        let own = self.node.ask { $0.id }
        var bytes = result.items.reduce(0) { $0 + $1.data.bytes.count }
        for (record, root) in self.node.ask({ $0.siteRecords(of: realm) }).dropFirst(round.count) {
            bytes += record.keptBytes
            guard bytes < Self.exportBytes else {
                cursor.round = round
                result.more = true
                return
            }
            round.count += 1
            var item = ExportItemsMethod.Item(
                .record(record), root, isOwn: record.author == own)
            item.replaces = true
            result.items.append(item)
        }
        (cursor.changes, cursor.round) = (round.changes, nil)
    }

    /// Something has come to the disk, and more may in a moment.
    ///
    /// People wait for it at other sites, so its timer is not one that shares wake-ups.
    func resumeExportSoon() {
        self.after(Self.exportMilliseconds, accuracy: .milliseconds(1)) { self.resumeExport() }
    }

    /// Something has come to the disk, or is shared otherwise: whoever waits for that looks again.
    func resumeExport() {
        guard let waiting = self.clients.waitingExport.take(), waiting.reply.asker != nil else {
            self.clients.isExportStale = true
            return
        }
        self.export(waiting.params, waiting.reply)
    }

    /// Answers who waits with nothing: another one waits now.
    private func endWaitingExport() {
        guard let waiting = self.clients.waitingExport.take() else { return }
        var result = ExportItemsMethod.Result()
        result.cursor = waiting.params.after ?? ""
        if let realm = try? self.sitesRealm() {
            result.tags = self.node.ask { $0.siteTags(of: realm).keys.sorted() }
        }
        result.servers = self.configuration.sites.servers
        result.credentials = self.configuration.sites.credentials
        waiting.reply.answer(result)
    }
}

extension ExportItemsMethod.Item {
    init(_ item: SiteItem, _ root: SiteRoot, isOwn: Bool) {
        self.init()
        self.subject = root.subject(of: item.name)
        self.data = Base64(root.seal(item))
        self.mine = isOwn ? true : nil
    }
}
