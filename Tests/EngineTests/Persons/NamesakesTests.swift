import Testing

@testable import Engine
@testable import Formats

@Suite("Names that look alike") struct NamesakesTests {
    private static let (ada, bob, eve) = (Harness.peer(2), Harness.peer(3), Harness.peer(4))

    private static func marked(
        _ names: [PeerID: String], _ tiers: [PeerID: Tier] = [:]
    ) -> [PeerID] {
        var namesakes = Namesakes()
        for (peer, name) in names { namesakes.name(peer, name) }
        return names.keys.filter { peer in
            namesakes.isAmbiguous(peer) { tiers[$0] ?? .stranger }
        }.sorted()
    }

    @Test("among equals all carry the mark, and whoever else is here carries none")
    func equals() {
        let names = [Self.ada: "Ada", Self.bob: "\u{410}da", Self.eve: "Eve"]
        #expect(Self.marked(names) == [Self.ada, Self.bob].sorted())
        let tiers = [Self.ada: Tier.known, Self.bob: .known]
        #expect(Self.marked(names, tiers) == [Self.ada, Self.bob].sorted())
    }

    // Shows: shown.lookalikes
    @Test("the lower tier carries the mark, never the higher one")
    func tiers() {
        let names = [Self.ada: "Ada", Self.bob: "ADA ", Self.eve: "A\u{200B}da"]
        let rest = [Self.bob, Self.eve].sorted()
        for tier in [Tier.fellow, .known, .own] {
            #expect(Self.marked(names, [Self.ada: tier]) == rest)
        }
        #expect(Self.marked(names, [Self.ada: .known, Self.bob: .fellow]) == rest)
    }

    @Test(
        "a name that is written unusually carries the mark as long as the user does not know who it is"
    )
    func unusual() {
        let names = [Self.ada: "bob\u{1D159}", Self.bob: "Eve"]
        #expect(Self.marked(names) == [Self.ada])
        #expect(Self.marked(names, [Self.ada: .fellow]) == [Self.ada])
        #expect(Self.marked(names, [Self.ada: .known]).isEmpty)
        #expect(Self.marked(names, [Self.ada: .own]).isEmpty)
    }

    @Test("a name that is changed or taken away marks nobody any longer")
    func changed() {
        var namesakes = Namesakes()
        namesakes.name(Self.ada, "Ada")
        namesakes.name(Self.bob, "Ada")
        #expect(namesakes.isAmbiguous(Self.ada) { _ in .stranger })
        namesakes.name(Self.bob, "Bob")
        #expect(!namesakes.isAmbiguous(Self.ada) { _ in .stranger })
        namesakes.name(Self.bob, "Ada")
        namesakes.name(Self.bob, "")
        #expect(!namesakes.isAmbiguous(Self.ada) { _ in .stranger })
        #expect(!namesakes.isAmbiguous(Self.bob) { _ in .stranger })
    }

    // Shows: shown.lookalikes
    @Test(
        "a crowd under one name hides nobody of whom the user has said something, and costs no more than a few"
    )
    func crowd() {
        var namesakes = Namesakes()
        let crowd = (0..<1_000).map { number -> PeerID in
            let last = [UInt8(number >> 8), UInt8(number & 255)]
            return PeerID(fixed32(Array(repeating: UInt8(7), count: 30) + last))
        }
        for peer in crowd { namesakes.name(peer, "Ada") }
        namesakes.name(Self.ada, "Ada")
        namesakes.name(Self.bob, "Ada", isChosen: true)
        func judge(_ known: Set<PeerID>) -> (marked: Set<PeerID>, behind: PeerID?, asked: Int) {
            var asked = 0
            func tier(_ peer: PeerID) -> Tier {
                asked += 1
                return known.contains(peer) ? .known : .stranger
            }
            let all = [Self.ada, Self.bob, crowd[3], crowd[999]]
            let marked = all.filter { namesakes.isAmbiguous($0, tier: tier) }
            return (Set(marked), namesakes.known(behindNameOf: crowd[999], tier: tier), asked)
        }
        let before = judge([Self.bob])
        #expect(before.marked == [Self.ada, crowd[3], crowd[999]] && before.behind == Self.bob)
        namesakes.choose(Self.ada)
        let after = judge([Self.ada, Self.bob])
        #expect(after.marked == [Self.ada, Self.bob, crowd[3], crowd[999]])
        #expect(after.behind == min(Self.ada, Self.bob))
        #expect(max(before.asked, after.asked) <= 5 * (Limits.namesakes + 4))
        // Once they are gone, all is as if they had never been.
        for peer in crowd { namesakes.name(peer, "") }
        #expect(judge([Self.ada]).marked == [Self.bob])
    }

    @Test(
        "the key of somebody whom the user has chosen is noticed in a name though it has no digit")
    func chosenKey() throws {
        let friend = try #require(
            (UInt8(1)...255).map(Harness.peer).first { peer in
                !peer.description.prefix(12).contains { $0.isNumber }
            })
        let key = String(friend.description.prefix(12))
        for name in [key, "Ada \(key)", key.uppercased()] {
            var namesakes = Namesakes()
            namesakes.name(Self.eve, name)
            #expect(!namesakes.isAmbiguous(Self.eve) { _ in .stranger })
            namesakes.choose(friend)
            #expect(namesakes.isAmbiguous(Self.eve) { _ in .stranger })
        }
    }

    // Shows: shown.lookalikes
    @Test("names like keys or marks, and names that nobody sees, are marked, alone though they are")
    func misleading() {
        for name in ["@lntyzs3w", "lntyzs3wpof3", "\u{200B}", "Ada \u{2713}", "Ada (you)"] {
            #expect(Self.marked([Self.bob: name], [Self.bob: .known]) == [Self.bob])
        }
    }
}
