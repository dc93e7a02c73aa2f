import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Pictures of people") struct PictureTests {
    private static let ops = room("ops")
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0]
    private static let ada = Harness.peer(2)
    private var harness = Harness()

    private static func picture(_ number: UInt8, size: UInt64 = 100) -> ProfilePicture {
        guard
            let picture = ProfilePicture(blob: BlobID(fixed32(number)), size: size)
        else { preconditionFailure("\(size) bytes make a picture") }
        return picture
    }

    private func record(
        of number: UInt8, _ picture: ProfilePicture?, later: UInt64 = 0
    ) -> Record {
        Record(
            kind: Record.Kind.profile, author: Harness.peer(number), conversation: nil,
            time: HybridTime(wallMilliseconds: self.harness.now.wall + later),
            value: Profile(name: "n\(number)", status: "", picture: picture).encoded,
            signer: signer(number))
    }

    /// In a room with ada, who has written there and is known, unless they are to be strangers.
    private mutating func meetAda(isKnown: Bool = true) {
        self.harness.join(Self.ops)
        self.harness.settle()
        if isKnown { self.harness.give(.request(RequestID(100), .stand(Self.ada, .known))) }
        self.harness.settle()
        self.harness.link(2, in: [Self.ops], features: .own)
        let log = TestLog(signer(2), in: Self.ops.conversation)
        self.harness.give(.liveRun(log.opening().run), from: 2)
        self.harness.settle()
    }

    private mutating func tell(_ picture: ProfilePicture?, later: UInt64 = 0) {
        self.harness.give(.records([self.record(of: 2, picture, later: later)]), from: 2)
        self.harness.settle()
    }

    /// What was asked of the shell since this was called last.
    private mutating func tasks() -> [FileTask] { self.harness.takeTasks() }

    /// The shell has nothing of a picture, and whoever is asked has it.
    private mutating func fetch(
        _ picture: ProfilePicture, from number: UInt8 = 2, beginning: [UInt8] = png
    ) {
        let standing = BlobStanding(chunks: ChunkSet(of: 1))
        let link = LinkID(UInt64(number))
        self.harness.give(.transfer(.opened(picture.blob, standing)))
        self.harness.give(.blobHoldings(BlobHoldings(picture.blob, .whole)), from: number)
        let wants = self.harness.take(from: number).compactMap {
            if case .blobWant(let want) = $0 { want } else { nil }
        }
        guard let want = wants.last else { return }
        let bytes = [UInt8](repeating: 1, count: Int(picture.size))
        self.harness.give(
            .blobPiece(BlobPiece(number: want.number, offset: 0, bytes: bytes)), from: number)
        self.harness.give(
            .transfer(.stored(picture.blob, .chunk(0), from: link, isRight: true)))
        self.harness.give(.transfer(.finished(picture.blob, beginning: beginning)))
        self.harness.settle()
    }

    /// What a peer is told that asks for a picture.
    private mutating func answer(to number: UInt8, _ blob: BlobID) -> BlobHoldings.Extent? {
        _ = self.harness.take(from: number)
        self.harness.give(.blobAsk(nil, blob), from: number)
        return self.harness.take(from: number).compactMap {
            if case .blobHoldings(let told) = $0, told.blob == blob { told.extent } else { nil }
        }.last
    }

    @Test("come by themselves from who is known, and are told of once they are here")
    func known() {
        var test = self
        test.meetAda()
        let picture = Self.picture(1)
        test.tell(picture)
        #expect(test.tasks().contains(.open(picture.blob, picture.layout)))
        #expect(test.harness.node.picture(of: Self.ada)?.type == nil)
        test.harness.signals = []
        test.fetch(picture)
        #expect(test.harness.node.picture(of: Self.ada)?.type == .png)
        #expect(test.harness.signals == [.picture(Self.ada, picture)])
        test.tell(nil, later: 1)
        #expect(test.harness.signals.last == .picture(Self.ada, nil))
        #expect(test.tasks().contains(.release(picture.blob)))
        #expect(test.harness.node.picture(of: Self.ada) == nil)
    }

    @Test("of one that many profiles name, a bounded number of people is looked at, whoever goes")
    func owners() {
        var pictures = Pictures(Profiles([]))
        let picture = Self.picture(1)
        let people = (UInt8(2)..<202).map { Harness.peer($0) }
        for peer in people { _ = pictures.name(picture, of: peer) }
        #expect(pictures.someOwners(of: picture.blob) == Array(people.prefix(Limits.pictureOwners)))
        for peer in people.prefix(199) { #expect(pictures.forget(peer) == nil) }
        #expect(pictures.someOwners(of: picture.blob) == [people[199]])
        #expect(pictures.forget(people[199]) == picture.blob)
    }

    @Test("of strangers come once they are known")
    func becomesKnown() {
        var test = self
        test.meetAda(isKnown: false)
        let picture = Self.picture(1)
        test.tell(picture)
        _ = test.tasks()
        test.harness.give(.request(RequestID(101), .stand(Self.ada, .known)))
        test.harness.settle()
        #expect(test.tasks().contains(.open(picture.blob, picture.layout)))
    }

    // Shows: file.pictures
    @Test("of strangers come only when the user asks")
    func strangers() {
        var test = self
        test.meetAda(isKnown: false)
        let picture = Self.picture(1)
        test.tell(picture)
        #expect(!test.tasks().contains(.open(picture.blob, picture.layout)))
        test.harness.give(
            .transfer(.fetch(picture.blob, picture.layout, in: .profile(Self.ada), isAwaited: true))
        )
        #expect(test.tasks().contains(.open(picture.blob, picture.layout)))
        test.fetch(picture)
        #expect(test.harness.node.picture(of: Self.ada)?.type == .png)
    }

    // Shows: told.pictures
    @Test("are served to who may see the profile; others neither get, probe nor learn of them")
    func served() {
        var test = self
        test.meetAda()
        let picture = Self.picture(1)
        test.tell(picture)
        test.fetch(picture)
        // In the same room as she is.
        test.harness.link(3, in: [Self.ops], features: .own)
        // In none.
        test.harness.link(4, in: [room("elsewhere")], features: .own)
        test.harness.settle()
        let asked = test.harness.take(from: 4)
        #expect(!asked.contains { if case .records = $0 { true } else { false } })
        #expect(test.answer(to: 3, picture.blob) == .whole)
        #expect(test.answer(to: 4, picture.blob) == .nothing)
        // As for one that nobody has.
        #expect(test.answer(to: 4, BlobID(fixed32(77))) == .nothing)
        let want = Frame.blobWant(BlobWant(number: 1, blob: picture.blob, part: .chunk(0)))
        test.harness.give(want, from: 4)
        #expect(test.harness.take(from: 4) == [.blobUnavailable(number: 1)])
        test.harness.give(want, from: 3)
        #expect(
            test.tasks().contains(.read(LinkID(3), number: 1, picture.blob, .chunk(0))))
        // Who has left the room sees nothing of it any longer.
        test.harness.give(.roomsLeft([Self.ops.conversation]), from: 3)
        _ = test.harness.take(from: 3)
        test.harness.give(
            .blobWant(BlobWant(number: 2, blob: picture.blob, part: .chunk(0))), from: 3)
        #expect(test.harness.take(from: 3).contains(.blobUnavailable(number: 2)))
        #expect(test.answer(to: 3, picture.blob) == .nothing)
    }

    // Shows: told.pictures
    @Test("are asked of those alone who may see the profile, also where its owner is gone")
    func askedOf() {
        var test = self
        test.meetAda()
        test.harness.link(3, in: [Self.ops], features: .own)
        test.harness.link(4, in: [room("elsewhere")], features: .own)
        test.harness.link(5, in: [Self.ops])  // knows of no files
        test.harness.settle()
        for number in [UInt8(2), 3, 4, 5] { _ = test.harness.take(from: number) }
        let picture = Self.picture(1)
        test.tell(picture)
        test.harness.give(
            .transfer(.opened(picture.blob, BlobStanding(chunks: ChunkSet(of: 1)))))
        let ask = Frame.blobAsk(nil, picture.blob)
        #expect(test.harness.take(from: 2).contains(ask))
        #expect(test.harness.take(from: 3).contains(ask))
        #expect(!test.harness.take(from: 4).contains(ask))
        #expect(!test.harness.take(from: 5).contains(ask))
        // She goes, and the other one gets it.
        test.harness.give(.linkClosed(LinkID(2), nil))
        test.fetch(picture, from: 3)
        #expect(test.harness.node.picture(of: Self.ada)?.type == .png)
    }

    @Test("that nobody has keep no place, and are sought again when somebody else may have them")
    func unavailable() {
        var test = self
        test.meetAda()
        let picture = Self.picture(1)
        test.tell(picture)
        _ = test.tasks()
        test.harness.give(
            .transfer(.opened(picture.blob, BlobStanding(chunks: ChunkSet(of: 1)))))
        test.harness.give(.blobHoldings(BlobHoldings(picture.blob, .nothing)), from: 2)
        #expect(test.tasks().contains(.close(picture.blob, isRemoved: true)))
        #expect(test.harness.node.transferReports.isEmpty)
        test.harness.pass(milliseconds: Limits.pictureMilliseconds)
        test.harness.link(3, in: [Self.ops], features: .own)
        test.harness.settle()
        #expect(test.tasks().contains(.open(picture.blob, picture.layout)))
        test.harness.give(
            .transfer(.opened(picture.blob, BlobStanding(chunks: ChunkSet(of: 1)))))
        for number in [UInt8(2), 3] {
            test.harness.give(.blobHoldings(BlobHoldings(picture.blob, .nothing)), from: number)
        }
        #expect(test.harness.node.transferReports.isEmpty)
        // After a while, or when somebody says that they have it now.
        _ = test.tasks()
        test.harness.pass(milliseconds: Limits.pictureRetryMilliseconds)
        test.harness.give(.timer(.transfers))
        #expect(test.tasks().contains(.open(picture.blob, picture.layout)))
        test.fetch(picture, from: 3)
        #expect(test.harness.node.picture(of: Self.ada)?.type == .png)
    }

    // Shows: file.pictures
    @Test("that are no pictures are removed, named in the log, and not fetched again")
    func wrong() {
        var test = self
        test.meetAda()
        let picture = Self.picture(1)
        test.tell(picture)
        test.fetch(picture, beginning: Array("#!/bin/sh\n  ".utf8))
        #expect(test.tasks().contains(.close(picture.blob, isRemoved: true)))
        #expect(test.harness.node.picture(of: Self.ada)?.type == nil)
        #expect(test.harness.logged.count { $0.contains("not a PNG, JPEG or WebP") } == 1)
        #expect(test.answer(to: 2, picture.blob) == .nothing)
        test.harness.pass(milliseconds: Limits.pictureRetryMilliseconds)
        test.harness.link(3, in: [Self.ops], features: .own)
        test.harness.settle()
        #expect(!test.tasks().contains(.open(picture.blob, picture.layout)))
    }

    // Shows: file.pictures
    @Test("that change all the time are fetched once in ten seconds, and the last one comes")
    func changing() {
        var test = self
        test.meetAda()
        for number in 1...20 {
            test.tell(Self.picture(UInt8(number)), later: UInt64(number))
        }
        let opened = test.tasks().filter { if case .open = $0 { true } else { false } }
        #expect(opened.count == 1)
        test.harness.pass(milliseconds: Limits.pictureMilliseconds)
        test.harness.give(.timer(.transfers))
        let last = Self.picture(20)
        #expect(test.tasks().contains(.open(last.blob, last.layout)))
    }

    @Test("whose owner did not have it yet when asked is asked for again within ten seconds")
    func tooEarly() throws {
        var test = self
        test.meetAda()
        let picture = Self.picture(1)
        let begun = test.harness.now.monotonic
        test.tell(picture)
        test.harness.give(
            .transfer(.opened(picture.blob, BlobStanding(chunks: ChunkSet(of: 1)))))
        test.harness.give(.blobHoldings(BlobHoldings(picture.blob, .nothing)), from: 2)
        _ = test.tasks()
        test.harness.give(.blobHoldings(BlobHoldings(picture.blob, .whole)), from: 2)
        #expect(try #require(test.harness.transfersAt) <= begun + Limits.pictureMilliseconds)
        test.harness.pass(milliseconds: Limits.pictureMilliseconds)
        test.harness.give(.timer(.transfers))
        #expect(test.tasks().contains(.open(picture.blob, picture.layout)))
    }

    @Test("of fellows take so much room at most, those of people who are known more")
    func bounded() {
        var pictures = Pictures(Profiles([]))
        for number in 0..<UInt64(300) {
            let blob = BlobID(size: number, root: .zero)
            guard let picture = ProfilePicture(blob: blob, size: 262_144) else { return }
            _ = pictures.name(picture, of: PeerID(blob.hash))
            pictures.began(blob)
        }
        #expect(pictures.bytes == 300 * 262_144)
        #expect(pictures.bytes > Limits.ofFellows.pictureBytes)
        for number in 0..<UInt64(300) {
            let blob = BlobID(size: number, root: .zero)
            if number % 2 == 0 { _ = pictures.ended(blob) }
            _ = pictures.forget(PeerID(blob.hash))
        }
        #expect(pictures.bytes == 0 && pictures.lacking.isEmpty)
    }

    @Test(
        "of a fellow does not come where pictures have all the room that those of fellows may fill")
    func fellows() {
        let office = Realm(
            id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(2))
        func isFetched(filled count: UInt64) -> Bool {
            var test = self
            test.harness = Harness(realms: Realms([office]))
            var info = LinkInfo(to: Self.ada, boot: 2)
            info.features = .own
            let tags = LinkTags(exporter: info.exporter, role: info.role)
            test.harness.give(
                .linkOpened(LinkID(2), info, address: "192.0.2.2:4100", dial: nil))
            var random = SeededRandom(seed: 5)
            let secret = RealmSecret(realm: office.id, bytes: office.secret)
            let common = LinkTags.filled(
                [tags.realm(secret, by: tags.peer)], to: Limits.realmTagCounts
            ) { Bytes16(random.bytes(16)) ?? .zero }
            test.harness.give(.realms(common), from: 2)
            for number in 0..<count {
                let blob = BlobID(size: number, root: .zero)
                guard let picture = ProfilePicture(blob: blob, size: 262_144) else { break }
                _ = test.harness.node.transfers.pictures.name(picture, of: PeerID(blob.hash))
                test.harness.node.transfers.pictures.began(blob)
            }
            let picture = Self.picture(1, size: 262_144)
            test.tell(picture)
            return test.tasks().contains(.open(picture.blob, picture.layout))
        }
        let room = Limits.ofFellows.pictureBytes / 262_144
        #expect(isFetched(filled: room - 1))
        #expect(!isFetched(filled: room))
    }

    @Test("named by two profiles stay until neither names them")
    func shared() {
        var pictures = Pictures(Profiles([]))
        let (one, two) = (Harness.peer(2), Harness.peer(3))
        let picture = Self.picture(1)
        _ = pictures.name(picture, of: one)
        _ = pictures.name(picture, of: two)
        let isTaken = pictures.take(picture.blob, beginning: Self.png)
        #expect(isTaken && pictures.shown == [one, two].sorted())
        let first = pictures.name(nil, of: one)
        #expect(first == nil && pictures.type(of: picture.blob) == .png)
        let last = pictures.forget(two)
        #expect(last == picture.blob && pictures.bytes == 0)
    }
}
