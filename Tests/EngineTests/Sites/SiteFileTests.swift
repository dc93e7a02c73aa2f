import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Files of other sites") struct SiteFileTests {
    private static let room = siteRoom("ops")
    private static let root = SiteRoot(siteSecret(), room.conversation)
    private static let realm = Realm(
        id: siteSecret().realm, name: RealmName("office") ?? .open, secret: siteSecret().bytes)
    private static let blob = BlobID(fixed32(5))
    private static let request = RequestID(900)
    /// Three chunks, and the node above them.
    private let layout: BlobLayout
    private var harness = Harness(realms: Realms([realm]))

    init() throws {
        self.layout = try #require(BlobLayout(size: 600_000))
        self.harness.join(Self.room)
        self.harness.settle()
    }

    private mutating func fetch() {
        self.harness.give(
            .transfer(
                .fetch(
                    Self.blob, self.layout, in: .conversation(Self.room.conversation),
                    isAwaited: true)))
        self.harness.give(.transfer(.opened(Self.blob, BlobStanding(chunks: ChunkSet(of: 3)))))
        _ = self.harness.takeTasks()
    }

    private static func subject(_ part: BlobPart) -> String {
        Self.root.subject(of: .part(SitePart.Name(Self.blob, part)))
    }

    private func wants(upTo bytes: UInt64 = 1 << 20) -> [String] {
        self.harness.node.siteWants(of: Self.realm, upTo: bytes)
    }

    /// What is said of a part, where it is checked after it was found right or not.
    private mutating func take(
        _ part: BlobPart, _ bytes: [UInt8], isRight: Bool? = nil
    ) -> [SiteVerdict]? {
        let item = SiteItem.part(SitePart(SitePart.Name(Self.blob, part), bytes))
        self.harness.give(.request(Self.request, .importItems([item])))
        let tasks = self.harness.takeTasks()
        let store = FileTask.store(Self.blob, part, bytes, from: .sites)
        #expect(tasks.contains(store) == (isRight != nil))
        if let isRight {
            self.harness.give(
                .transfer(.stored(Self.blob, part, from: .sites, isRight: isRight)))
        }
        self.harness.settle()
        guard case .imported(let verdicts)? = self.harness.answers(of: Self.request).last else {
            return nil
        }
        return verdicts
    }

    private func bytes(of part: BlobPart) -> [UInt8] {
        [UInt8](repeating: 1, count: self.layout.byteCount(of: part))
    }

    // Shows: sites.files
    @Test("are wanted part by part, what checks others first, and taken as from a peer")
    func taken() {
        var test = self
        #expect(test.wants().isEmpty)
        test.fetch()
        let node = test.layout.root
        #expect(test.wants() == [Self.subject(node)])
        #expect(test.take(node, test.bytes(of: node), isRight: true) == [.taken])
        #expect(test.wants() == (0..<3).map { Self.subject(.chunk($0)) })
        for chunk in 0..<3 {
            let part = BlobPart.chunk(chunk)
            #expect(test.take(part, test.bytes(of: part), isRight: true) == [.taken])
        }
        #expect(test.wants().isEmpty)
        #expect(test.harness.takeTasks().contains(.finish(Self.blob)))
        #expect(test.harness.node.excess == nil)
    }

    // Shows: sites.files
    @Test("are refused where they are wrong, stay wanted, and nobody who is linked is accused")
    func wrong() {
        var test = self
        test.fetch()
        let node = test.layout.root
        #expect(test.take(node, test.bytes(of: node), isRight: false) == [.refused(.forged)])
        #expect(test.take(node, [1, 2, 3]) == [.refused(.forged)], "of another length")
        #expect(test.wants() == [Self.subject(node)])
        #expect(test.take(node, test.bytes(of: node), isRight: true) == [.taken])
    }

    @Test("that nobody here wants, or whose message was deleted, change nothing")
    func unwanted() {
        var test = self
        let node = test.layout.root
        #expect(test.take(node, test.bytes(of: node)) == [.known])
        test.fetch()
        #expect(test.take(node, []) == [.known], "what stands in the place of a part")
        let chunk = test.bytes(of: .chunk(0))
        #expect(test.take(.chunk(0), chunk) == [.known], "not yet to be checked")
        #expect(test.take(.chunk(9), [1]) == [.known])
        #expect(test.take(BlobPart(level: 7, index: 0), [1]) == [.known])
        #expect(test.wants() == [Self.subject(node)])
    }

    @Test("are wanted of no server where a linked peer has them, or where they are too large")
    func links() {
        var test = self
        test.fetch()
        #expect(test.wants(upTo: 599_999).isEmpty)
        var downloads = Downloads()
        let place = BlobPlace.conversation(Self.room.conversation)
        _ = downloads.fetch(Self.blob, self.layout, in: place, isAwaited: true)
        #expect(downloads.sought(upTo: .max).isEmpty, "it is not known what is here")
        _ = downloads.opened(
            Self.blob, BlobStanding(chunks: ChunkSet(of: 3)), links: { _ in [LinkID(2)] }, at: 1)
        _ = downloads.receive(BlobHoldings(Self.blob, .whole), on: LinkID(2), at: 2)
        #expect(downloads.sought(upTo: .max).isEmpty)
        let ended = downloads.closed(LinkID(2), at: 5)
        #expect(
            ended.contains { if case .task(.tell) = $0 { true } else { false } },
            "who waits for what is wanted looks again")
        #expect(downloads.sought(upTo: .max).map(\.parts) == [[self.layout.root]])
    }

    @Test("that cannot be stored are told of, and wanted no more")
    func diskFull() {
        var test = self
        test.fetch()
        let node = test.layout.root
        let item = SiteItem.part(
            SitePart(SitePart.Name(Self.blob, node), test.bytes(of: node)))
        test.harness.give(.request(Self.request, .importItems([item])))
        test.harness.give(.transfer(.unstored(Self.blob, .diskFull)))
        #expect(
            test.harness.answers(of: Self.request) == [.imported([.refused(.room)])])
        #expect(test.wants().isEmpty)
    }

    // Shows: sites.blind
    @Test("have names of their own for each part, under a subject that texts never have")
    func names() {
        let item = SiteItem.part(SitePart(SitePart.Name(Self.blob, .chunk(1)), [7, 8, 9]))
        let subject = Self.root.subject(of: item.name)
        // Frozen: nodes of all versions meet there.
        #expect(subject == "stoa-files.ep6kjzvhszte3ueemovdmhbs4y.4uqcm5qi2z2dzfsbekdl5zlojy")
        #expect(subject != Self.subject(.chunk(2)) && subject != Self.subject(self.layout.root))
        let sealed = Self.root.seal(item)
        #expect(Self.root.open(sealed, subject: subject) == item)
        #expect(Self.root.open(sealed, subject: Self.subject(.chunk(2))) == nil)
        let other = "stoa" + subject.dropFirst("stoa-files".count)
        #expect(Self.root.open(sealed, subject: other) == nil)
        #expect(item.encoded == [7] + [UInt8](repeating: 5, count: 32) + [0, 1, 7, 8, 9])
    }

    @Test("are cut in an order in which each part can be checked when it comes")
    func order() throws {
        for size: UInt64 in [0, 1, 262_144, 262_145, 600_000, 600 << 20] {
            let layout = try #require(BlobLayout(size: size))
            let count = layout.counts.reduce(0, +)
            let parts = (0..<count).compactMap { layout.part(at: $0) }
            #expect(Set(parts).count == count && parts.allSatisfy(layout.contains))
            #expect(layout.part(at: count) == nil)
            var before: Set<BlobPart> = []
            for part in parts {
                #expect(layout.parent(of: part).map(before.contains) ?? true)
                before.insert(part)
            }
        }
    }

    @Test("that are too long for a part, or name none, are refused")
    func malformed() {
        let head = [UInt8](repeating: 5, count: 32)
        let long = [UInt8](repeating: 0, count: BlobLayout.partBytes + 1)
        for bytes in [[], head, head + [0], head + [0, 255], head + [0, 0] + long] {
            #expect(throws: (any Error).self) { _ = try SiteItem(decoding: [7] + bytes) }
        }
    }
}
