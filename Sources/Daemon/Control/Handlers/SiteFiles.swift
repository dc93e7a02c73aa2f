internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix
internal import Storage

/// Up to where files were given to other sites, in the order in which their messages came.
struct SiteFilePlace: Equatable {
    /// All up to this arrival were given, but of this one only some parts where ``part`` is not 0.
    var arrival: Int64 = 0
    /// How many parts of it were given.
    var part = 0

    /// More than there are in all files that are remembered.
    private static let partLimit = 1 << 40

    init() {}

    init(through arrival: Int64) { self.arrival = arrival }

    init(arrival: Int64, part: Int) { (self.arrival, self.part) = (arrival, part) }

    /// Reads ``text``; the beginning for anything else.
    init(_ arrival: String, _ part: String) {
        guard let arrival = Int64(arrival, radix: 36), arrival >= 0,
            let part = Int(part, radix: 36), (0...Self.partLimit).contains(part)
        else { return }
        (self.arrival, self.part) = (arrival, part)
    }

    var text: String { "\(String(self.arrival, radix: 36))-\(String(self.part, radix: 36))" }

    /// Behind which arrival the next file is looked for.
    var since: Int64 { self.part > 0 ? self.arrival - 1 : self.arrival }

    /// The next part of a file that was found.
    func next(of file: ArrivedFiles.Element) -> Int { file.arrival == self.arrival ? self.part : 0 }
}

/// A page of what goes to other sites, while it is put together.
struct SitePage {
    let params: ExportItemsMethod.Params
    let realm: Realm
    let places: [ConversationID: SitePlace]
    /// Where the page begins, and where the next one does.
    let cursor: SiteCursor
    var next: SiteCursor
    var result = ExportItemsMethod.Result()
    /// Whether it has parts of files.
    var hasParts = false

    func place(isLate: Bool) -> SiteFilePlace {
        isLate ? self.next.lateFiles : self.next.files
    }

    mutating func move(to place: SiteFilePlace, isLate: Bool) {
        if isLate { self.next.lateFiles = place } else { self.next.files = place }
    }

    mutating func add(_ part: SitePart, in conversation: ConversationID) {
        guard let root = self.places[conversation]?.root else { return }
        var item = ExportItemsMethod.Item(.part(part), root, isOwn: true)
        item.replaces = true
        self.result.items.append(item)
        self.hasParts = true
        self.result.more = true
    }
}

/// Files that go to other sites: those that this node has sent, a part at a time, and nothing in the place of parts whose
/// message was deleted.
extension NodeShell {
    /// The most parts that are taken back at once.
    private static let goneParts = 256
    /// How soon after something has become of a file it is told what is wanted of other sites: whoever is linked has
    /// answered by then.
    private static let wantsMilliseconds: UInt64 = 250

    private var journalPath: String { "\(self.configuration.dataDirectory)/\(SiteJournal.name)" }

    /// What is wanted of other sites may be something else from here on.
    func wantsMayChange() {
        guard self.clients.exportedAt != nil, !self.clients.isWantsDue else { return }
        self.clients.isWantsDue = true
        self.after(Self.wantsMilliseconds) {
            self.clients.isWantsDue = false
            self.resumeExport()
        }
    }

    /// Adds what is next of files to a page: of rooms first, then of conversations of two and groups.
    func addFiles(_ page: SitePage, then: @escaping (SitePage) -> Void) {
        guard self.files.atSites != nil else {
            let path = self.journalPath
            self.onFiles { (_) async throws(BlobFailure) in
                SiteJournal(reading: path)
            } then: { result in
                self.files.atSites = self.files.atSites ?? (try? result.get())
                self.files.atSites == nil ? then(page) : self.addFiles(page, then: then)
            }
            return
        }
        self.addFile(page, isLate: false) { page in
            page.result.more == true ? then(page) : self.addFile(page, isLate: true, then: then)
        }
    }

    private func addFile(
        _ page: SitePage, isLate: Bool, then: @escaping (SitePage) -> Void
    ) {
        let conversations = page.places.filter { $0.value.isLate == isLate }.keys
        guard !conversations.isEmpty else { return then(page) }
        let (place, limit) = (page.place(isLate: isLate), self.configuration.sites.fileBytes)
        let shared = Set(conversations)
        let devices = self.node.ask { $0.ownDevices.map(\.id) }
        self.ask { (store) async throws(StoreFailure) in
            try await store.nextFile(
                since: place.since, in: shared, by: devices, upTo: limit)
        } then: { result in
            guard case .success(let found) = result else { return then(page) }
            guard let file = found.next else {
                var page = page
                page.move(to: SiteFilePlace(through: found.through), isLate: isLate)
                if !found.isAll { page.result.more = true }
                return then(page)
            }
            if file.sent == nil {
                self.addGone(file, page, isLate: isLate, then: then)
            } else {
                self.addPart(file, page, isLate: isLate, then: then)
            }
        }
    }

    /// Adds the next part of a file, or of the next file if this one is not here.
    private func addPart(
        _ file: ArrivedFiles.Element, _ page: SitePage, isLate: Bool,
        then: @escaping (SitePage) -> Void
    ) {
        var page = page
        let number = page.place(isLate: isLate).next(of: file)
        page.move(to: SiteFilePlace(through: file.arrival), isLate: isLate)
        guard let sent = file.sent, let layout = BlobLayout(size: sent.size),
            let part = layout.part(at: number)
        else { return self.addFile(page, isLate: isLate, then: then) }
        let noted = SentFile(
            EntryPlace(key: file.key, seq: file.seq), sent.blob, size: sent.size)
        let (path, isNoted) = (self.journalPath, self.files.atSites?.has(noted) ?? false)
        self.onFile(sent.blob) { (files) async throws(BlobFailure) in
            guard let bytes = try await files.read(part, of: sent.blob) else { return nil }
            if !isNoted {
                try BlobFailure.of { () throws(SystemError) in
                    try SiteJournal.append(noted, to: path)
                }
            }
            return bytes
        } then: { (result: Result<[UInt8]?, BlobFailure>) in
            guard case .success(let bytes?) = result else {
                return self.addFile(page, isLate: isLate, then: then)
            }
            self.files.atSites?.noted(noted)
            if layout.part(at: number + 1) != nil {
                page.move(
                    to: SiteFilePlace(arrival: file.arrival, part: number + 1), isLate: isLate)
            }
            page.add(SitePart(SitePart.Name(sent.blob, part), bytes), in: file.key.conversation)
            then(page)
        }
    }

    /// Replaces the parts of the files that a deletion removes, or moves on to the next file if it removes none.
    private func addGone(
        _ deletion: ArrivedFiles.Element, _ page: SitePage, isLate: Bool,
        then: @escaping (SitePage) -> Void
    ) {
        let open = self.files.atSites?.open(in: deletion.key.conversation) ?? []
        self.ask { (store) async throws(StoreFailure) in
            open.isEmpty ? [] : try await store.goneFiles(open)
        } then: { result in
            guard case .success(let gone) = result else { return then(page) }
            self.files.atSites?.note(gone, goneBy: deletion.arrival)
            var page = page
            let first = page.place(isLate: isLate).next(of: deletion)
            page.move(to: SiteFilePlace(through: deletion.arrival), isLate: isLate)
            var number = 0
            for file in self.files.atSites?.gone(by: deletion.arrival) ?? [] {
                guard let layout = BlobLayout(size: file.size) else { continue }
                let count = layout.counts.reduce(0, +)
                for index in max(0, first - number)..<max(count, first - number) {
                    guard number + index < first + Self.goneParts else {
                        page.move(
                            to: SiteFilePlace(arrival: deletion.arrival, part: number + index),
                            isLate: isLate)
                        return then(page)
                    }
                    guard let part = layout.part(at: index) else { break }
                    page.add(
                        SitePart(SitePart.Name(file.blob, part), []),
                        in: deletion.key.conversation)
                }
                number += count
            }
            if page.hasParts { return then(page) }
            // What is there already does not wait for what may be far behind.
            guard page.result.items.isEmpty else {
                page.result.more = true
                return then(page)
            }
            self.addFile(page, isLate: isLate, then: then)
        }
    }
}
