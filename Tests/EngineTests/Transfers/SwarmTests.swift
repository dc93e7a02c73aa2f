import Crypto
import TestSupport
import Testing

@testable import Engine

/// Nodes that fetch one file from one another, by the machines that ship: some begin with all of it or a
/// part, one lies, links end and come back.
private struct Swarm {
    struct Member {
        var downloads = Downloads()
        var uploads = Uploads()
        var tree: BlobTree
        var chunks: [Int: [UInt8]] = [:]
        var isLiar = false
        var isDone = false
        var accused: Set<Int> = []
        /// How often each chunk was stored, which is once.
        var stored: [Int: Int] = [:]
        var wasted = 0

        var standing: BlobStanding {
            var set = ChunkSet(of: self.tree.layout.chunkCount)
            for chunk in self.chunks.keys { set.insert(chunk) }
            return BlobStanding(
                chunks: set, nodes: Set(self.tree.layout.nodes.filter { self.tree.has($0) }))
        }
    }

    private enum Message {
        case frame(Frame, from: Int, to: Int)
        case event(FileEvent, of: Int)
    }

    static let room = ConversationID(BLAKE2b.hash256([1]))
    var random: SeededRandom
    let whole: BlobTree
    let content: [[UInt8]]
    var members: [Member]
    private var queue: [Message] = []
    private var now: UInt64 = 1_000
    private var isCut: Set<Set<Int>> = []

    /// - Parameter holders: who has the whole file at the beginning.
    init(seed: UInt64, members count: Int, chunks: Int, holders: Set<Int>, liar: Int?) {
        var random = SeededRandom(seed: seed)
        // Chunks of a few bytes would be another layout, so they are all alike but for their first byte.
        let size = UInt64(chunks) * UInt64(BlobLayout.chunkBytes) - 7
        guard let layout = BlobLayout(size: size) else { preconditionFailure() }
        let content = (0..<chunks).map { chunk in
            var bytes = [UInt8](repeating: UInt8(chunk), count: layout.byteCount(of: .chunk(chunk)))
            bytes[0] = UInt8(truncatingIfNeeded: random.next())
            return bytes
        }
        let whole = BlobTree(layout: layout, chunks: content.map { BlobTree.hash($0, at: 0) })
        self.whole = whole
        self.content = content
        self.members = (0..<count).map { member in
            if holders.contains(member) || member == liar {
                var all = Member(tree: whole)
                for chunk in 0..<chunks { all.chunks[chunk] = content[chunk] }
                all.isDone = true
                all.isLiar = member == liar
                return all
            }
            return Member(tree: BlobTree(id: whole.id, layout: layout))
        }
        self.random = random
    }

    private func link(_ from: Int, _ to: Int) -> LinkID { LinkID(UInt64(from * 100 + to)) }
    private func other(of link: LinkID) -> Int { Int(link.rawValue % 100) }

    private func links(of member: Int) -> (ConversationID) -> [LinkID] {
        let linked = self.members.indices.filter {
            $0 != member && !self.isCut.contains([member, $0])
        }.map { self.link(member, $0) }
        return { _ in linked }
    }

    mutating func fetch(by member: Int) {
        self.perform(
            self.members[member].downloads.fetch(
                self.whole.id, self.whole.layout, in: Self.room, isAwaited: false), by: member)
    }

    private mutating func perform(_ steps: [Downloads.Step], by member: Int) {
        for step in steps {
            switch step {
            case .send(let frame, let link):
                self.queue.append(.frame(frame, from: member, to: self.other(of: link)))
            case .accuse(let link, _): self.members[member].accused.insert(self.other(of: link))
            case .changed(let holdings, let isLast):
                let told = self.members[member].uploads.changed(
                    holdings, isLast: isLast, at: self.now)
                guard let told else { continue }
                for link in self.members[member].uploads.askers(of: told.blob) {
                    self.queue.append(
                        .frame(.blobHoldings(told), from: member, to: self.other(of: link)))
                }
            case .task(let task): self.perform(task, by: member)
            }
        }
    }

    private mutating func perform(_ task: FileTask, by member: Int) {
        switch task {
        case .open(let blob, _):
            self.queue.append(.event(.opened(blob, self.members[member].standing), of: member))
        case .store(let blob, let part, let bytes, let link):
            var isRight = true
            if part.isChunk {
                isRight = self.members[member].tree.verifies(bytes, as: part) == true
                if isRight {
                    self.members[member].chunks[part.index] = bytes
                    self.members[member].stored[part.index, default: 0] += 1
                } else {
                    self.members[member].wasted += 1
                }
            } else {
                isRight = self.members[member].tree.add(bytes, as: part)
            }
            self.queue.append(
                .event(.stored(blob, part, from: link, isRight: isRight), of: member))
        case .finish(let blob):
            self.members[member].isDone = true
            self.queue.append(.event(.finished(blob), of: member))
        case .look(let link, _, let blob):
            self.queue.append(
                .event(.looked(link, blob, self.members[member].standing), of: member))
        case .read(let link, let number, _, let part):
            var bytes =
                part.isChunk
                ? self.members[member].chunks[part.index]
                : self.members[member].tree.bytes(of: part)
            if self.members[member].isLiar, part.isChunk { bytes?[1] ^= 1 }
            self.queue.append(.event(.read(link, number: number, bytes), of: member))
        case .close, .tell: break
        }
    }

    private mutating func take(_ frame: Frame, from: Int, by member: Int) {
        let link = self.link(member, from)
        switch frame {
        case .blobAsk(let conversation, let blob):
            if self.members[member].uploads.ask(blob, in: conversation, on: link) {
                self.perform(FileTask.look(link, conversation, blob), by: member)
            }
        case .blobHoldings(let holdings):
            self.perform(
                self.members[member].downloads.receive(holdings, on: link, at: self.now), by: member
            )
        case .blobWant(let want):
            if self.members[member].uploads.want(want, on: link) {
                self.serve(member)
            } else {
                self.queue.append(
                    .frame(.blobUnavailable(number: want.number), from: member, to: from))
            }
        case .blobUnavailable(let number):
            self.perform(
                self.members[member].downloads.unavailable(number, on: link, at: self.now),
                by: member)
        case .blobPiece(let piece):
            self.perform(
                self.members[member].downloads.receive(piece, on: link, at: self.now), by: member)
        default: preconditionFailure("no other frame is sent")
        }
    }

    private mutating func serve(_ member: Int) {
        for (link, want) in self.members[member].uploads.takeReads() {
            self.perform(
                FileTask.read(link, number: want.number, want.blob, want.part), by: member)
        }
    }

    private mutating func take(_ event: FileEvent, by member: Int) {
        let links = self.links(of: member)
        switch event {
        case .opened(let blob, let standing):
            self.perform(
                self.members[member].downloads.opened(blob, standing, links: links, at: self.now),
                by: member)
        case .stored(let blob, let part, let link, let isRight):
            self.perform(
                self.members[member].downloads.stored(
                    blob, part, from: link, isRight: isRight, at: self.now), by: member)
        case .finished(let blob):
            self.perform(self.members[member].downloads.finished(blob), by: member)
        case .looked(let link, let blob, let standing):
            if let holdings = self.members[member].uploads.looked(link, blob, standing) {
                self.queue.append(
                    .frame(.blobHoldings(holdings), from: member, to: self.other(of: link)))
            }
        case .read(let link, let number, let bytes):
            guard self.members[member].uploads.read(number, bytes, on: link) else {
                self.queue.append(
                    .frame(.blobUnavailable(number: number), from: member, to: self.other(of: link))
                )
                return
            }
            while let piece = self.members[member].uploads.nextPiece(on: link) {
                self.queue.append(.frame(.blobPiece(piece), from: member, to: self.other(of: link)))
            }
            self.serve(member)
        case .fetch, .cancel, .failed: preconditionFailure("nobody says so here")
        }
    }

    /// Ends a link for both, with all that is on its way, or makes it anew.
    mutating func cut(_ one: Int, _ two: Int) {
        let pair: Set = [one, two]
        self.queue.removeAll {
            if case .frame(_, let from, let to) = $0 { Set([from, to]) == pair } else { false }
        }
        let isCut = self.isCut.remove(pair) == nil
        if isCut { self.isCut.insert(pair) }
        for (member, other) in [(one, two), (two, one)] {
            let link = self.link(member, other)
            if isCut {
                self.members[member].uploads.closed(link)
                self.perform(self.members[member].downloads.closed(link, at: self.now), by: member)
            } else {
                self.perform(
                    self.members[member].downloads.shared(Self.room, with: link), by: member)
            }
        }
    }

    /// Hands on what waits, in any order between links, until nothing does; time passes then.
    mutating func run(steps: Int, cuts: Bool) {
        for _ in 0..<steps {
            if cuts, self.random.next() % 200 == 0 {
                let one = Int(self.random.next() % UInt64(self.members.count))
                let two = Int(self.random.next() % UInt64(self.members.count))
                if one != two { self.cut(one, two) }
            }
            guard !self.queue.isEmpty else {
                guard !self.members.allSatisfy(\.isDone) else { return }
                self.now += Limits.partMilliseconds
                for member in self.members.indices {
                    let links = self.links(of: member)
                    self.perform(
                        self.members[member].downloads.wake(at: self.now, links: links), by: member)
                    for holdings in self.members[member].uploads.takeUntold(at: self.now) {
                        for link in self.members[member].uploads.askers(of: holdings.blob) {
                            self.queue.append(
                                .frame(
                                    .blobHoldings(holdings), from: member, to: self.other(of: link))
                            )
                        }
                    }
                }
                continue
            }
            switch self.queue.removeFirst() {
            case .frame(let frame, let from, let to):
                guard !self.isCut.contains([from, to]) else { continue }
                self.take(frame, from: from, by: to)
            case .event(let event, let member): self.take(event, by: member)
            }
        }
    }

    /// Makes all links that were ended.
    mutating func heal() {
        for pair in self.isCut { let two = pair.sorted(); self.cut(two[0], two[1]) }
    }
}

@Suite("Files that go from one to another") struct SwarmTests {
    @Test(
        "are whole everywhere, each chunk stored once, whoever lies and whatever ends",
        arguments: 0..<40)
    func everywhere(seed: Int) {
        let liar = seed % 2 == 0 ? 1 : nil
        var swarm = Swarm(
            seed: UInt64(seed), members: 5, chunks: 3 + seed % 9, holders: [0], liar: liar)
        for member in 2..<5 { swarm.fetch(by: member) }
        if liar == nil { swarm.fetch(by: 1) }
        swarm.run(steps: 4_000, cuts: true)
        swarm.heal()
        swarm.run(steps: 40_000, cuts: false)
        for (index, member) in swarm.members.enumerated() where !member.isLiar {
            #expect(member.isDone, "member \(index)")
            #expect(swarm.content.indices.allSatisfy { member.chunks[$0] == swarm.content[$0] })
            #expect(member.stored.values.allSatisfy { $0 == 1 }, "member \(index)")
            #expect(member.accused.isSubset(of: liar.map { [$0] } ?? []), "member \(index)")
            // Who has sent one wrong chunk is asked for no other: what it had been asked for came with it.
            #expect(member.wasted <= Limits.partsPerLink * 8)
        }
    }

    @Test("go on between those who have parts when their author has left")
    func withoutAuthor() {
        var swarm = Swarm(seed: 7, members: 3, chunks: 12, holders: [0], liar: nil)
        for member in 1..<3 { swarm.fetch(by: member) }
        // Together they have all of it long before either has.
        while Set(swarm.members[1].chunks.keys).union(swarm.members[2].chunks.keys).count < 12 {
            swarm.run(steps: 1, cuts: false)
        }
        swarm.cut(0, 1)
        swarm.cut(0, 2)
        swarm.run(steps: 40_000, cuts: false)
        #expect(swarm.members[1].isDone && swarm.members[2].isDone)
    }

    @Test("a part that was not asked for is dropped, and so is one out of order")
    func unasked() throws {
        let layout = try #require(BlobLayout(size: 10))
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash(Array(0..<10), at: 0)])
        var downloads = Downloads()
        let link = LinkID(1)
        _ = downloads.fetch(tree.id, layout, in: Swarm.room, isAwaited: true)
        _ = downloads.opened(
            tree.id, BlobStanding(chunks: ChunkSet(of: 1)), links: { _ in [link] }, at: 0)
        let early = downloads.receive(
            BlobPiece(number: 1, offset: 0, bytes: [0]), on: link, at: 0)
        #expect(early.isEmpty)
        let steps = downloads.receive(BlobHoldings(tree.id, .whole), on: link, at: 0)
        guard case .send(.blobWant(let want), link)? = steps.first else {
            Issue.record("it is asked for the chunk")
            return
        }
        let wrong = BlobPiece(number: want.number, offset: 3, bytes: [0])
        let accused = downloads.receive(wrong, on: link, at: 0)
        #expect(accused.contains(.accuse(link, tree.id)))
        let again = downloads.receive(wrong, on: link, at: 0)
        #expect(again.isEmpty)
        #expect(downloads.reports.first?.sources == 0)
    }

    @Test("nothing is read for a peer that was not told of the file, or wants too much at once")
    func uploads() throws {
        let layout = try #require(BlobLayout(size: 10))
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash(Array(0..<10), at: 0)])
        var uploads = Uploads()
        let link = LinkID(1)
        let want = BlobWant(number: 1, blob: tree.id, part: .chunk(0))
        let answer1 = uploads.want(want, on: link)
        #expect(!answer1)
        let answer2 = uploads.ask(tree.id, in: Swarm.room, on: link)
        #expect(answer2)
        let answer3 = uploads.want(want, on: link)
        #expect(!answer3)
        // The conversation does not tell of it.
        let answer4 = uploads.looked(link, tree.id, nil)
        #expect(answer4 == BlobHoldings(tree.id, .nothing))
        let answer5 = uploads.want(want, on: link)
        #expect(!answer5)
        let answer6 = uploads.ask(tree.id, in: Swarm.room, on: link)
        #expect(answer6)
        let standing = BlobStanding(chunks: ChunkSet(all: 1))
        let answer7 = uploads.looked(link, tree.id, standing)
        #expect(answer7 == BlobHoldings(tree.id, .whole))
        for number in 1...UInt64(2 * Limits.partsPerLink) {
            let answer8 = uploads.want(
                BlobWant(number: number, blob: tree.id, part: .chunk(0)), on: link)
            #expect(answer8)
        }
        let answer9 = uploads.want(BlobWant(number: 99, blob: tree.id, part: .chunk(0)), on: link)
        #expect(!answer9)
        let answer10 = uploads.takeReads()
        #expect(answer10.count == Limits.partsLoadedPerLink)
        let answer11 = uploads.takeReads()
        #expect(answer11.isEmpty)
        // Its message is taken back meanwhile: what was read goes nowhere.
        let answer12 = uploads.drop(tree.id)
        #expect(answer12 == [link])
        let answer13 = uploads.read(1, Array(0..<10), on: link)
        #expect(!answer13)
        let answer14 = uploads.nextPiece(on: link)
        #expect(answer14 == nil)
        for file in 0..<UInt64(Limits.looksPerLink) {
            let answer15 = uploads.ask(BlobID(size: file, root: .zero), in: Swarm.room, on: link)
            #expect(answer15)
        }
        let answer16 = uploads.ask(tree.id, in: Swarm.room, on: link)
        #expect(!answer16)
    }
}
