import Testing

@testable import Engine
@testable import Formats

@Suite("Files and pictures, without a node") struct TransfersTests {
    private static let ops = room("ops")
    private static let blob = BlobID(fixed32(5))
    private let now: UInt64 = 1_000
    private let layout: BlobLayout
    private let place = BlobPlace.conversation(Self.ops.conversation)

    init() throws { self.layout = try #require(BlobLayout(size: 100_000)) }

    /// The peers of links 2 and 3, which know of files and share a room, and that of link 4, which does not.
    private static func neighbours(_ change: (inout LinkTable) -> Void = { _ in }) -> Neighbours {
        var links = LinkTable()
        var conversations = Conversations()
        conversations.table[Self.ops.conversation] = Conversation(.room(Self.ops), isJoined: true)
        for number in [UInt8(2), 3, 4] {
            var info = LinkInfo(to: Harness.peer(number))
            if number < 4 { info.features = .own }
            let id = LinkID(UInt64(number))
            links.add(
                Link(
                    id: id, info: info, address: "192.0.2.\(number):1", dial: nil,
                    now: Instant(monotonic: 1, wall: 1)))
            links.share(Self.ops.conversation, on: id, ConversationSync(newsTold: 0))
        }
        change(&links)
        return Neighbours(
            own: OwnKeys(
                device: Harness.ownKey,
                person: LinkInfo(to: Harness.ownKey).certificate.personID),
            links: links, conversations: conversations,
            people: People(
                Snapshot(),
                own: OwnKeys(device: Harness.ownKey, person: personKeys(40, 41).id)), known: [:])
    }

    private static func transfers() -> Transfers { Transfers(pictures: Pictures(Profiles([]))) }

    private static func frames(_ wanted: [TransferAction]) -> [LinkID: [Frame]] {
        var frames: [LinkID: [Frame]] = [:]
        for case .send(let frame, let link) in wanted { frames[link, default: []].append(frame) }
        return frames
    }

    private func fetch(_ transfers: inout Transfers, _ neighbours: Neighbours) -> [TransferAction] {
        transfers.take(
            .fetch(Self.blob, self.layout, in: self.place, isAwaited: true), neighbours,
            at: self.now)
            + transfers.take(
                .opened(
                    Self.blob, BlobStanding(chunks: ChunkSet(of: self.layout.chunkCount))),
                neighbours, at: self.now)
    }

    @Test("all who share the conversation and know of files are asked for one")
    func asked() {
        var transfers = Self.transfers()
        let frames = Self.frames(self.fetch(&transfers, Self.neighbours()))
        let ask = Frame.blobAsk(Self.ops.conversation, Self.blob)
        #expect(frames == [LinkID(2): [ask], LinkID(3): [ask]])
        #expect(transfers.downloads.report(of: Self.blob) != nil)
    }

    @Test("a file of which no message tells is removed, and whoever was told of it hears so")
    func released() {
        var transfers = Self.transfers()
        let neighbours = Self.neighbours()
        let look = transfers.receiveAsk(Self.blob, in: Self.ops.conversation, on: LinkID(2))
        #expect(
            look == [.perform(.transfer(.look(LinkID(2), Self.ops.conversation, Self.blob)))])
        let whole = BlobStanding(chunks: ChunkSet(all: self.layout.chunkCount))
        let told = transfers.take(
            .looked(LinkID(2), Self.blob, whole), neighbours, at: self.now)
        #expect(told == [.send(.blobHoldings(BlobHoldings(Self.blob, .whole)), LinkID(2))])
        let gone = transfers.release(Self.blob, neighbours, at: self.now)
        #expect(
            gone == [
                .perform(.transfer(.close(Self.blob, isRemoved: true))),
                .send(.blobHoldings(BlobHoldings(Self.blob, .nothing)), LinkID(2)),
            ])
    }

    @Test("people are told of a damaged copy until it is whole again")
    func damaged() {
        var transfers = Self.transfers()
        let neighbours = Self.neighbours()
        let damaged = transfers.take(
            .damaged(Self.blob, [FileTold(self.place, self.layout)], called: "plan.pdf"),
            neighbours, at: self.now)
        let isTold = damaged.contains {
            guard case .tellDamage(let text?, let logged?) = $0 else { return false }
            return text.contains("plan.pdf") && !logged.contains("plan.pdf")
                && logged.contains(Self.blob.description.prefix(8))
        }
        #expect(isTold)
        #expect(transfers.downloads.report(of: Self.blob) != nil)
        let healed = transfers.take(
            .finished(Self.blob, beginning: []), neighbours, at: self.now)
        #expect(healed.last == .tellDamage(nil, logged: nil))
        #expect(!healed.contains { "\($0)".contains("plan.pdf") })
    }

    @Test(
        "the picture of a stranger is not fetched, and nobody is sent one whose profile they may not see"
    )
    func pictures() throws {
        var transfers = Self.transfers()
        let neighbours = Self.neighbours()
        let picture = try #require(ProfilePicture(blob: Self.blob, size: 1_000))
        let author = Harness.peer(9)
        let named = transfers.name(picture, of: author, neighbours, at: self.now)
        #expect(named == [])
        let asked = transfers.receivePictureAsk(Self.blob, on: LinkID(2), neighbours)
        #expect(asked == [.send(.blobHoldings(BlobHoldings(Self.blob, .nothing)), LinkID(2))])
        // Of their own one they hear that it is not here.
        _ = transfers.name(picture, of: Harness.peer(2), neighbours, at: self.now)
        let own = transfers.receivePictureAsk(Self.blob, on: LinkID(2), neighbours)
        #expect(own == [.send(.blobHoldings(BlobHoldings(Self.blob, .nothing)), LinkID(2))])
        #expect(!transfers.mayServe(Self.blob, on: LinkID(2), neighbours))
    }

    @Test("nothing is sent on a link that has ended, and the others are asked on")
    func ended() {
        var transfers = Self.transfers()
        _ = self.fetch(&transfers, Self.neighbours())
        let left = Self.neighbours { $0.remove(LinkID(2)) }
        let wanted = transfers.closed(LinkID(2), left, at: self.now)
        #expect(Self.frames(wanted)[LinkID(2)] == nil)
        #expect(transfers.downloads.report(of: Self.blob) != nil)
    }
}
