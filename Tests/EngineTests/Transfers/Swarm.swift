import Crypto
import TestSupport

@testable import Engine
@testable import Formats

/// Nodes that fetch one file from one another, by the machines that ship: some begin with all of it or a
/// part, one lies, links end and come back.
struct Swarm {
    struct Member {
        var downloads = Downloads()
        var uploads = Uploads()
        var tree: BlobTree
        var chunks: [Int: [UInt8]] = [:]
        var isLiar = false
        /// Whether they send a byte of each part now and then, and never the rest.
        var isDripping = false
        var isDone = false
        var isFull = false
        var isFetching = false
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
    private var drips: [(from: Int, to: Int, number: UInt64, offset: Int)] = []
    var seconds: UInt64 { self.now / 1_000 }
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

    private func links(of member: Int) -> (BlobPlace) -> [LinkID] {
        let linked = self.members.indices.filter {
            $0 != member && !self.isCut.contains([member, $0])
        }.map { self.link(member, $0) }
        return { _ in linked }
    }

    mutating func fetch(by member: Int) {
        self.members[member].isFetching = true
        self.perform(
            self.members[member].downloads.fetch(
                self.whole.id, self.whole.layout, in: .conversation(Self.room), isAwaited: false),
            by: member)
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
        case .store(let blob, _, _, _) where self.members[member].isFull:
            self.queue.append(.event(.unstored(blob, .diskFull), of: member))
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
            self.queue.append(.event(.finished(blob, beginning: []), of: member))
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
        case .close, .note, .release, .tell: break
        }
    }

    private mutating func take(_ frame: Frame, from: Int, by member: Int) {
        let link = self.link(member, from)
        switch frame {
        case .blobAsk(let conversation?, let blob):
            if self.members[member].uploads.ask(blob, in: .conversation(conversation), on: link) {
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
        case .unstored(let blob, let failure):
            self.perform(
                self.members[member].downloads.unstored(blob, failure, at: self.now), by: member)
        case .finished(let blob, _):
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
                if self.members[member].isDripping {
                    if piece.offset == 0 {
                        self.drips.append((member, self.other(of: link), piece.number, 0))
                    }
                    continue
                }
                self.queue.append(.frame(.blobPiece(piece), from: member, to: self.other(of: link)))
            }
            self.serve(member)
        case .fetch, .cancel, .failed, .found, .damaged, .brought:
            preconditionFailure("nobody says so here")
        }
    }

    /// Those who drip send the next byte of each part, every second.
    private mutating func drip() {
        for index in self.drips.indices {
            let (from, to, number, offset) = self.drips[index]
            let piece = BlobPiece(number: number, offset: offset, bytes: [7])
            self.queue.append(.frame(.blobPiece(piece), from: from, to: to))
            self.drips[index].offset += 1
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

    /// A member is killed and begins anew with what it has on disk; its links end and come back.
    mutating func restart(_ member: Int) {
        self.queue.removeAll {
            switch $0 {
            case .frame(_, let from, let to): from == member || to == member
            case .event(_, let one): one == member
            }
        }
        self.members[member].downloads = Downloads()
        self.members[member].uploads = Uploads()
        for other in self.members.indices
        where other != member && !self.isCut.contains([member, other]) {
            let link = self.link(other, member)
            self.members[other].uploads.closed(link)
            self.perform(self.members[other].downloads.closed(link, at: self.now), by: other)
            self.perform(self.members[other].downloads.shared(Self.room, with: link), by: other)
        }
        self.goOn(member)
    }

    /// Fetches what somebody has begun to fetch, and has not.
    private mutating func goOn(_ member: Int) {
        if self.members[member].isFetching, !self.members[member].isDone { self.fetch(by: member) }
    }

    /// Somebody's disk fills up, or has room again.
    private mutating func turnDisk(of member: Int) {
        self.members[member].isFull.toggle()
        if !self.members[member].isFull { self.goOn(member) }
    }

    /// Kills somebody, or fills or empties a disk, now and then.
    mutating func trouble(steps: Int) {
        for _ in 0..<steps / 50 {
            self.run(steps: 50, cuts: true)
            let member = Int(self.random.next() % UInt64(self.members.count))
            switch self.random.next() % 6 {
            case 0: self.restart(member)
            case 1: self.turnDisk(of: member)
            default: break
            }
        }
        for member in self.members.indices where self.members[member].isFull {
            self.turnDisk(of: member)
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
                guard !self.members.allSatisfy({ $0.isDone || !$0.isFetching }) else { return }
                self.now += 1_000
                self.drip()
                // Whose disk was full fetches again what had ended for that.
                for member in self.members.indices
                where self.members[member].downloads.isEmpty && !self.members[member].isFull {
                    self.goOn(member)
                }
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
