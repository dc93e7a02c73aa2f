import Testing

@testable import Engine

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

    @Test("the lower tier carries the mark, never the higher one")
    func tiers() {
        let names = [Self.ada: "Ada", Self.bob: "ADA ", Self.eve: "A\u{200B}da"]
        let rest = [Self.bob, Self.eve].sorted()
        for tier in [Tier.fellow, .known, .own] {
            #expect(Self.marked(names, [Self.ada: tier]) == rest)
        }
        #expect(Self.marked(names, [Self.ada: .known, Self.bob: .fellow]) == rest)
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

    @Test("names like keys and names that nobody sees are marked, alone though they are")
    func misleading() {
        for name in ["@lntyzs3w", "lntyzs3wpof3", "\u{200B}"] {
            #expect(Self.marked([Self.bob: name], [Self.bob: .known]) == [Self.bob])
        }
    }
}
