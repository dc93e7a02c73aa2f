import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Files that go from one to another") struct SwarmTests {
    // Shows: file.parts
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

    @Test(
        "are whole over kills and full disks, and what was stored before is not fetched again",
        arguments: 0..<40)
    func restarts(seed: Int) {
        let liar = seed % 2 == 0 ? 1 : nil
        var swarm = Swarm(
            seed: UInt64(seed), members: 4, chunks: 5 + seed % 20, holders: [0], liar: liar)
        for member in 2..<4 { swarm.fetch(by: member) }
        swarm.trouble(steps: 3_000)
        swarm.heal()
        swarm.run(steps: 40_000, cuts: false)
        for member in swarm.members where member.isFetching {
            #expect(member.isDone)
            #expect(swarm.content.indices.allSatisfy { member.chunks[$0] == swarm.content[$0] })
            #expect(member.stored.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("whoever has nothing in one place that both know of is asked in the next one, no further")
    func nextPlace() throws {
        let layout = try #require(BlobLayout(size: 300_000))
        let blob = BlobID(size: 300_000, root: fixed32(1))
        let places = [1, 2].map { ConversationID(BLAKE2b.hash256([$0])) }
        let link = LinkID(7)
        func asked(_ steps: [Downloads.Step]) -> [ConversationID?] {
            steps.compactMap { step in
                if case .send(.blobAsk(let place, _), link) = step { place } else { nil }
            }
        }
        var downloads = Downloads()
        for place in places {
            _ = downloads.fetch(blob, layout, in: .conversation(place), isAwaited: true)
        }
        let nothing = BlobStanding(chunks: ChunkSet(of: layout.chunkCount), nodes: [])
        let first = downloads.opened(blob, nothing, links: { _ in [link] }, at: 0)
        #expect(asked(first) == [places[0]])
        var other = downloads
        let second = downloads.receive(BlobHoldings(blob, .nothing), on: link, at: 1)
        #expect(asked(second) == [places[1]])
        let third = downloads.receive(BlobHoldings(blob, .nothing), on: link, at: 2)
        #expect(asked(third).isEmpty)
        // Who has it there is asked nowhere else, and neither is anybody where nothing tells of it any longer.
        #expect(asked(other.receive(BlobHoldings(blob, .whole), on: link, at: 1)).isEmpty)
        other.forget(.conversation(places[1]), of: blob)
        #expect(asked(other.receive(BlobHoldings(blob, .nothing), on: link, at: 2)).isEmpty)
    }

    @Test("are fetched by who waits for them though somebody has told of another size before")
    func otherSize() throws {
        let layouts = try [UInt64(10), 300_000].map { try #require(BlobLayout(size: $0)) }
        let blob = BlobID(size: 300_000, root: fixed32(1))
        let place = BlobPlace.conversation(Swarm.room)
        var downloads = Downloads()
        _ = downloads.fetch(blob, layouts[0], in: place, isAwaited: false)
        // By itself nothing takes its place: either may be the wrong one.
        let ignored = downloads.fetch(blob, layouts[1], in: place, isAwaited: false)
        #expect(ignored.isEmpty)
        let steps = downloads.fetch(blob, layouts[1], in: place, isAwaited: true)
        #expect(steps.contains(.task(.close(blob, isRemoved: true))))
        #expect(steps.contains(.task(.open(blob, layouts[1]))))
        // Who waited for it with the other size gets this one.
        #expect(downloads.reports.map(\.blob) == [blob])
        // What has come proves its size.
        let nothing = BlobStanding(chunks: ChunkSet(of: layouts[1].chunkCount), nodes: [])
        _ = downloads.opened(blob, nothing, links: { _ in [LinkID(1)] }, at: 0)
        _ = downloads.receive(BlobHoldings(blob, .whole), on: LinkID(1), at: 0)
        let root = try #require(layouts[1].nodes.first)
        _ = downloads.stored(blob, root, from: LinkID(1), isRight: true, at: 0)
        let joined = downloads.fetch(blob, layouts[0], in: place, isAwaited: true)
        #expect(joined.isEmpty)
        #expect(downloads.standing(of: blob)?.nodes == [root])
    }

    @Test("whose turn has not come are noted for the next start; pictures are not")
    func noted() throws {
        let layout = try #require(BlobLayout(size: 10))
        var downloads = Downloads()
        var noted: [BlobID] = []
        let blobs = (0..<12).map { BlobID(size: 10, root: fixed32(UInt8($0))) }
        for (number, blob) in blobs.enumerated() {
            let place =
                number == 11
                ? BlobPlace.profile(Harness.peer(2)) : BlobPlace.conversation(Swarm.room)
            for step in downloads.fetch(blob, layout, in: place, isAwaited: false) {
                if case .task(.note(let blob)) = step { noted.append(blob) }
            }
        }
        #expect(noted == Array(blobs[Limits.activeDownloads..<11]))
    }

    @Test("that an earlier run has begun say so from the first moment, until they are looked at")
    func begun() throws {
        var downloads = Downloads()
        let layout = try #require(BlobLayout(size: 1_000_000))
        let blob = BlobID(size: 1_000_000, root: fixed32(1))
        let steps = downloads.fetch(
            blob, layout, in: .conversation(Swarm.room), isAwaited: false, stored: 524_288)
        let told = steps.compactMap { step -> UInt64? in
            guard case .task(.tell(let report)) = step else { return nil }
            return report.stored
        }
        #expect(told == [524_288])
        #expect(downloads.report(of: blob)?.stored == 524_288)
        var chunks = ChunkSet(of: layout.chunkCount)
        chunks.insert(0)
        _ = downloads.opened(blob, BlobStanding(chunks: chunks), links: { _ in [] }, at: 0)
        #expect(downloads.report(of: blob)?.stored == 262_144)
        _ = downloads.reopen(blob)
        #expect(downloads.report(of: blob)?.stored == 262_144)
    }

    @Test("whoever has left one place is asked in others, and there once they are back")
    func leftPlace() throws {
        let layout = try #require(BlobLayout(size: 300_000))
        let blob = BlobID(size: 300_000, root: fixed32(1))
        let places = [1, 2].map { ConversationID(BLAKE2b.hash256([$0])) }
        let link = LinkID(7)
        func ask(_ place: ConversationID) -> Downloads.Step { .send(.blobAsk(place, blob), link) }
        for count in 1...2 {
            var downloads = Downloads()
            for place in places.prefix(count) {
                _ = downloads.fetch(blob, layout, in: .conversation(place), isAwaited: true)
            }
            let nothing = BlobStanding(chunks: ChunkSet(of: layout.chunkCount), nodes: [])
            let first = downloads.opened(blob, nothing, links: { _ in [link] }, at: 0)
            #expect(first.contains(ask(places[0])))
            let wanted = downloads.receive(BlobHoldings(blob, .whole), on: link, at: 1)
            #expect(!wanted.isEmpty)
            var later = downloads.unshared(places[0], with: link)
            later += downloads.unavailable(1, on: link, at: 2)
            var now: UInt64 = 2
            while now < 300_000 {
                let next = downloads.nextWake(after: now)
                now = try #require(next)
                later += downloads.wake(
                    at: now, links: { $0 == .conversation(places[1]) ? [link] : [] })
            }
            #expect(!later.contains(ask(places[0])))
            #expect(later.contains(ask(places[1])) == (count == 2))
            let back = downloads.shared(places[0], with: link)
            #expect(back.contains(ask(places[0])) == (count == 1))
        }
    }

    @Test("that nobody has are asked for ever less often, and at once where somebody comes")
    func sought() throws {
        var downloads = Downloads()
        let layout = try #require(BlobLayout(size: 10))
        let blob = BlobID(size: 10, root: fixed32(1))
        let links = { (_: BlobPlace) in [LinkID(1)] }
        _ = downloads.fetch(blob, layout, in: .conversation(Swarm.room), isAwaited: false)
        var steps = downloads.opened(
            blob, BlobStanding(chunks: ChunkSet(of: 1)), links: links, at: 0)
        var (now, asks, wakes) = (UInt64(0), 0, 0)
        while now < 3_600_000 {
            for case .send(.blobAsk, _) in steps {
                asks += 1
                _ = downloads.receive(BlobHoldings(blob, .nothing), on: LinkID(1), at: now)
            }
            let next = downloads.nextWake(after: now)
            now = try #require(next)
            wakes += 1
            steps = downloads.wake(at: now, links: links)
        }
        #expect((30...36).contains(asks) && wakes <= asks + 1)
        let shared = downloads.shared(Swarm.room, with: LinkID(2))
        #expect(shared == [.send(.blobAsk(Swarm.room, blob), LinkID(2))])
        // What comes meanwhile is not waited for as long.
        _ = downloads.receive(BlobHoldings(blob, .whole), on: LinkID(2), at: now)
        let next = downloads.nextWake(after: now)
        #expect(next == now + Limits.slowPartMilliseconds)
    }

    /// Seed 608871 of the simulation: who has half of a file and is linked with somebody who has the same half
    /// asked nobody again.
    @Test("of which others have only what is here are sought, as where nobody has any")
    func halves() throws {
        var downloads = Downloads()
        let layout = try #require(BlobLayout(size: 500_000))
        let blob = BlobID(size: 500_000, root: fixed32(1))
        let links = { (_: BlobPlace) in [LinkID(1), LinkID(2)] }
        _ = downloads.fetch(blob, layout, in: .conversation(Swarm.room), isAwaited: false)
        var half = ChunkSet(of: 2)
        half.insert(0)
        let standing = BlobStanding(chunks: half, nodes: Set(layout.nodes))
        _ = downloads.opened(blob, standing, links: links, at: 0)
        _ = downloads.receive(BlobHoldings(blob, .nothing), on: LinkID(1), at: 0)
        _ = downloads.receive(
            BlobHoldings(blob, BlobHoldings.Extent(half)), on: LinkID(2), at: 0)
        #expect(downloads.report(of: blob)?.state == .seeking)
        let next = downloads.nextWake(after: 0)
        let steps = downloads.wake(at: try #require(next), links: links)
        let asked = steps.filter { if case .send(.blobAsk, _) = $0 { true } else { false } }
        #expect(asked.count == 2)
        // Who has the other half is asked for it at once.
        let wants = downloads.receive(BlobHoldings(blob, .whole), on: LinkID(1), at: 20_000)
        #expect(
            wants.contains {
                if case .send(.blobWant(let want), LinkID(1)) = $0 {
                    want.part == .chunk(1)
                } else {
                    false
                }
            })
    }

    /// A file of many parts that is fetched, of which these say that they have all.
    private static func sought(
        _ links: [(link: LinkID, peer: PeerID, tier: Tier)], by author: PeerID? = nil
    ) throws -> (downloads: Downloads, wants: [LinkID]) {
        let layout = try #require(BlobLayout(size: 64 * 262_144))
        let blob = BlobID(size: layout.size, root: fixed32(1))
        var downloads = Downloads()
        _ = downloads.fetch(
            blob, layout, in: .conversation(Swarm.room), by: author, isAwaited: true)
        let standing = BlobStanding(
            chunks: ChunkSet(of: layout.chunkCount), nodes: Set(layout.nodes))
        _ = downloads.opened(blob, standing, links: { _ in links.map(\.link) }, at: 0)
        var wants: [LinkID] = []
        for (link, peer, tier) in links { downloads.regard(link, peer, as: tier) }
        // The last of them is the first to say so.
        for (link, _, _) in links.reversed() {
            for case .send(.blobWant, let asked) in downloads.receive(
                BlobHoldings(blob, .whole), on: link, at: 0)
            {
                wants.append(asked)
            }
        }
        return (downloads, wants)
    }

    /// Lets time pass; gives who is asked for parts meanwhile.
    private static func wait(_ downloads: inout Downloads, until end: UInt64) -> [LinkID] {
        var (now, asked): (UInt64, [LinkID]) = (0, [])
        while let next = downloads.nextWake(after: now), next <= end {
            now = next
            for case .send(.blobWant, let link) in downloads.wake(at: now, links: { _ in [] }) {
                asked.append(link)
            }
        }
        return asked
    }

    // Shows: file.slow
    @Test(
        "are asked of strangers for half of the parts that may be under way, and of others beyond")
    func shares() throws {
        let strangers = (UInt64(1)...40).map {
            (LinkID($0), Harness.peer(UInt8($0)), Tier.stranger)
        }
        #expect(try Self.sought(strangers).wants.count == Limits.strangersParts)
        let known = (LinkID(90), Harness.peer(90), Tier.known)
        let author = (LinkID(91), Harness.peer(91), Tier.stranger)
        let (_, wants) = try Self.sought([known, author] + strangers, by: author.1)
        #expect(wants.count == Limits.strangersParts + 2)
        #expect(wants.contains(known.0) && wants.contains(author.0))
    }

    @Test(
        "are asked of few strangers while somebody known brings them, who is asked for what is late"
    )
    func beside() throws {
        let known = (LinkID(90), Harness.peer(90), Tier.known)
        let strangers = (UInt64(1)...40).map {
            (LinkID($0), Harness.peer(UInt8($0)), Tier.stranger)
        }
        var (downloads, _) = try Self.sought([known])
        let blob = try #require(downloads.reports.first?.blob)
        // The first part comes at once, and with it the strangers.
        for offset in stride(from: 0, to: 262_144, by: BlobPiece.byteLimit) {
            let count = min(BlobPiece.byteLimit, 262_144 - offset)
            let bytes = [UInt8](repeating: 0, count: count)
            _ = downloads.receive(
                BlobPiece(number: 1, offset: offset, bytes: bytes), on: known.0, at: 0)
        }
        _ = downloads.stored(blob, .chunk(0), from: known.0, isRight: true, at: 0)
        var asked: [LinkID] = []
        for (link, peer, tier) in strangers {
            downloads.regard(link, peer, as: tier)
            _ = downloads.ask(link, in: .conversation(Swarm.room), for: blob)
            for case .send(.blobWant, let link) in downloads.receive(
                BlobHoldings(blob, .whole), on: link, at: 0)
            {
                asked.append(link)
            }
        }
        #expect(asked.count == Limits.strangersPartsBeside)
    }

    @Test("who is late is asked for no more, and what is late of somebody else")
    func slow() throws {
        let strangers = (UInt64(1)...40).map {
            (LinkID($0), Harness.peer(UInt8($0)), Tier.stranger)
        }
        var (downloads, wants) = try Self.sought(strangers)
        let late = Self.wait(&downloads, until: 2 * Limits.slowPartMilliseconds)
        // Each turn of the strangers takes as long as it takes to be late, and no longer.
        #expect(Set(wants + late).count == 40 && wants.count + late.count == 40)
        let bound = downloads.bounds.first { $0.what == "late parts of files" }
        #expect(bound.map { $0.count <= $0.limit } == true)
    }

    // Shows: file.slow
    @Test(
        "come though somebody who says that they have all of it drips, however few others there are"
    )
    func drip() {
        for seed in 0..<10 {
            var swarm = Swarm(
                seed: UInt64(seed), members: 4, chunks: 5 + 2 * seed, holders: [0, 1], liar: nil)
            swarm.members[1].isDripping = true
            for member in 2..<4 { swarm.fetch(by: member) }
            swarm.run(steps: 8_000, cuts: false)
            let isDone = swarm.members.allSatisfy(\.isDone)
            #expect(isDone, "seed \(seed)")
            #expect(swarm.seconds < 120, "seed \(seed)")
        }
    }

    @Test("who has not served what they said that they have is asked again later, by itself")
    func unserved() throws {
        let link = LinkID(1)
        var (downloads, _) = try Self.sought([(link, Harness.peer(1), .known)])
        let blob = try #require(downloads.reports.first?.blob)
        let gone = downloads.unavailable(1, on: link, at: 100)
        #expect(gone.isEmpty)
        var (now, asked): (UInt64, UInt64?) = (100, nil)
        while asked == nil, now < 60_000 {
            let next = downloads.nextWake(after: now)
            now = try #require(next)
            let steps = downloads.wake(at: now, links: { _ in [link] })
            if steps.contains(.send(.blobAsk(Swarm.room, blob), link)) { asked = now }
        }
        #expect(asked.map { $0 <= 100 + Limits.seekFirstMilliseconds } == true)
        let wants = downloads.receive(BlobHoldings(blob, .whole), on: link, at: now)
        #expect(!wants.isEmpty)
    }

    @Test("that turn out to be damaged here are looked at anew, and what is lost is fetched again")
    func reopened() throws {
        let link = LinkID(1)
        var (downloads, _) = try Self.sought([(link, Harness.peer(1), .known)])
        let blob = try #require(downloads.reports.first?.blob)
        let layout = try #require(BlobLayout(size: 64 * 262_144))
        let steps = downloads.reopen(blob)
        #expect(steps == [.task(.open(blob, layout))])
        // Until that is known nobody is asked, and what comes is dropped.
        let piece = BlobPiece(number: 1, offset: 0, bytes: [1])
        let dropped = downloads.receive(piece, on: link, at: 0)
        #expect(dropped.isEmpty && downloads.underWay == 0)
        var half = ChunkSet(of: 64)
        for chunk in 0..<32 { half.insert(chunk) }
        let opened = downloads.opened(
            blob, BlobStanding(chunks: half, nodes: Set(layout.nodes)), links: { _ in [link] },
            at: 0)
        #expect(opened.contains(.changed(BlobHoldings(blob, .chunks(half.bytes)), isLast: false)))
        #expect(
            opened.contains { step in
                if case .send(.blobWant(let want), link) = step {
                    want.part == .chunk(32)
                } else {
                    false
                }
            })
    }

    @Test("that nobody has keep no place from others, and a disk that fails leaves none taken")
    func places() throws {
        var downloads = Downloads()
        let layout = try #require(BlobLayout(size: 10))
        let link = LinkID(1)
        let blobs = (0..<UInt64(20)).map { BlobID(size: 10, root: fixed32(UInt8($0))) }
        var opened: [BlobID] = []
        var steps = blobs.flatMap {
            downloads.fetch(
                $0, layout, in: .conversation(Swarm.room), isAwaited: false)
        }
        while !steps.isEmpty {
            let open = steps.compactMap { step -> BlobID? in
                if case .task(.open(let blob, _)) = step { blob } else { nil }
            }
            opened += open
            steps = open.flatMap {
                downloads.opened(
                    $0, BlobStanding(chunks: ChunkSet(of: 1)), links: { _ in [link] }, at: 0)
            }
        }
        #expect(opened == blobs)
        // Each part that is not stored frees its place among those under way.
        for (number, blob) in blobs.enumerated() {
            _ = downloads.receive(BlobHoldings(blob, .whole), on: link, at: 0)
            let piece = BlobPiece(
                number: UInt64(number) + 1, offset: 0, bytes: [UInt8](repeating: 0, count: 10))
            let stored = downloads.receive(piece, on: link, at: 0)
            #expect(stored.contains(.task(.store(blob, .chunk(0), piece.bytes, from: link))))
            let ended = downloads.unstored(blob, .diskFull, at: 0)
            #expect(ended.contains(.task(.close(blob, isRemoved: false))))
        }
        #expect(downloads.isEmpty)
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
        _ = downloads.fetch(tree.id, layout, in: .conversation(Swarm.room), isAwaited: true)
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

    @Test("what is looked up goes nowhere once its message is gone or its conversation is left")
    func late() throws {
        let layout = try #require(BlobLayout(size: 10))
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash(Array(0..<10), at: 0)])
        let link = LinkID(1)
        for isLeft in [false, true] {
            var uploads = Uploads()
            let isAsked = uploads.ask(tree.id, in: .conversation(Swarm.room), on: link)
            #expect(isAsked)
            if isLeft {
                uploads.unshared(Swarm.room, with: link)
            } else {
                let askers = uploads.drop(tree.id, ofProfile: false)
                #expect(askers.isEmpty)
            }
            let told = uploads.looked(link, tree.id, BlobStanding(chunks: ChunkSet(all: 1)))
            #expect(told == BlobHoldings(tree.id, .nothing))
            let isServed = uploads.want(
                BlobWant(number: 1, blob: tree.id, part: .chunk(0)), on: link)
            #expect(!isServed)
            #expect(uploads.askers(of: tree.id).isEmpty)
        }
    }

    @Test("what two conversations tell of is served in the one that still does")
    func elsewhere() throws {
        let blob = BlobID(size: 10, root: .zero)
        let other = BlobPlace.conversation(ConversationID(BLAKE2b.hash256([2])))
        let (here, there, late) = (LinkID(1), LinkID(2), LinkID(3))
        var uploads = Uploads()
        for (link, place) in [
            (here, BlobPlace.conversation(Swarm.room)), (there, other),
            (late, .conversation(Swarm.room)),
        ] {
            let isAsked = uploads.ask(blob, in: place, on: link)
            #expect(isAsked)
            guard link != late else { continue }
            _ = uploads.looked(link, blob, BlobStanding(chunks: ChunkSet(all: 1)))
        }
        let askers = uploads.drop(blob, of: .conversation(Swarm.room))
        #expect(askers == [here])
        let told = uploads.looked(late, blob, BlobStanding(chunks: ChunkSet(all: 1)))
        #expect(told == BlobHoldings(blob, .nothing))
        #expect(uploads.askers(of: blob) == [there])
        let want = BlobWant(number: 1, blob: blob, part: .chunk(0))
        let isServed = uploads.want(want, on: here)
        #expect(!isServed)
        let isServedThere = uploads.want(want, on: there)
        #expect(isServedThere)
    }

    @Test("what is read goes nowhere once its conversation is left")
    func left() throws {
        let layout = try #require(BlobLayout(size: 10))
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash(Array(0..<10), at: 0)])
        let link = LinkID(1)
        var uploads = Uploads()
        _ = uploads.ask(tree.id, in: .conversation(Swarm.room), on: link)
        _ = uploads.looked(link, tree.id, BlobStanding(chunks: ChunkSet(all: 1)))
        for number: UInt64 in 1...2 {
            _ = uploads.want(BlobWant(number: number, blob: tree.id, part: .chunk(0)), on: link)
        }
        #expect(uploads.takeReads().count == 2)
        let isRead = uploads.read(1, Array(0..<10), on: link)
        #expect(isRead)
        uploads.unshared(Swarm.room, with: link)
        let piece = uploads.nextPiece(on: link)
        #expect(piece == nil)
        // The other one is still being read.
        let isReadToo = uploads.read(2, Array(0..<10), on: link)
        #expect(!isReadToo)
        #expect(uploads.owed == 0)
    }

    // Shows: told.files
    @Test("nothing is read for a peer that was not told of the file, or wants too much at once")
    func uploads() throws {
        let layout = try #require(BlobLayout(size: 10))
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash(Array(0..<10), at: 0)])
        var uploads = Uploads()
        let link = LinkID(1)
        let want = BlobWant(number: 1, blob: tree.id, part: .chunk(0))
        let answer1 = uploads.want(want, on: link)
        #expect(!answer1)
        let answer2 = uploads.ask(tree.id, in: .conversation(Swarm.room), on: link)
        #expect(answer2)
        let answer3 = uploads.want(want, on: link)
        #expect(!answer3)
        // The conversation does not tell of it.
        let answer4 = uploads.looked(link, tree.id, nil)
        #expect(answer4 == BlobHoldings(tree.id, .nothing))
        let answer5 = uploads.want(want, on: link)
        #expect(!answer5)
        let answer6 = uploads.ask(tree.id, in: .conversation(Swarm.room), on: link)
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
        let answer12 = uploads.drop(tree.id, ofProfile: false)
        #expect(answer12 == [link])
        let answer13 = uploads.read(1, Array(0..<10), on: link)
        #expect(!answer13)
        let answer14 = uploads.nextPiece(on: link)
        #expect(answer14 == nil)
        for file in 0..<UInt64(Limits.looksPerLink) {
            let answer15 = uploads.ask(
                BlobID(size: file, root: .zero), in: .conversation(Swarm.room), on: link)
            #expect(answer15)
        }
        let answer16 = uploads.ask(tree.id, in: .conversation(Swarm.room), on: link)
        #expect(!answer16)
    }
}
