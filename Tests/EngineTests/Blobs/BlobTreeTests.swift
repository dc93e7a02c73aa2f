import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The tree of hashes over a file") struct BlobTreeTests {
    @Test(
        "is cut into chunks of 256 KiB, and nodes of up to 2,048 hashes",
        arguments: [
            (0, [1]), (1, [1]), (262_144, [1]), (262_145, [2, 1]),
            (536_870_912, [2_048, 1]), (536_870_913, [2_049, 2, 1]), (1 << 34, [65_536, 32, 1]),
        ] as [(UInt64, [Int])])
    func layout(size: UInt64, counts: [Int]) throws {
        let layout = try #require(BlobLayout(size: size))
        #expect(layout.counts == counts)
        let bytes = (0..<counts[0]).reduce(UInt64(0)) {
            $0 + UInt64(layout.byteCount(of: .chunk($1)))
        }
        #expect(bytes == size)
        #expect(layout.nodes.count == counts.dropFirst().reduce(0, +))
        #expect(layout.nodes.first ?? .chunk(0) == layout.root)
    }

    @Test("there is none over what is larger than 16 GiB")
    func tooLarge() { #expect(BlobLayout(size: (1 << 34) + 1) == nil) }

    // Shows: file.parts
    @Test("each part is checked by itself, and no other bytes are taken for it")
    func verifies() throws {
        var random = SeededRandom(seed: 1)
        let layout = try #require(BlobLayout(size: 2_049 * 262_144))
        let hashes = (0..<layout.chunkCount).map { _ in Bytes32(random.bytes(32)) ?? .zero }
        let whole = BlobTree(layout: layout, chunks: hashes)
        var known = BlobTree(id: whole.id, layout: layout)
        let leaf = BlobPart(level: 1, index: 1)
        let bytes = try #require(whole.bytes(of: leaf))
        #expect(known.verifies(bytes, as: leaf) == nil)
        let isEarlyAdded = known.add(bytes, as: leaf)
        #expect(!isEarlyAdded)
        for node in layout.nodes {
            var wrong = try #require(whole.bytes(of: node))
            wrong[0] ^= 1
            let areAdded = [
                known.add(wrong, as: node), known.add(Array(wrong.dropLast()), as: node),
            ]
            #expect(areAdded == [false, false])
            let isAdded = known.add(try #require(whole.bytes(of: node)), as: node)
            #expect(isAdded && known.has(node))
        }
        #expect(known.verifies([UInt8](repeating: 0, count: 262_144), as: .chunk(2_048)) == false)
        #expect(known.verifies(bytes, as: BlobPart(level: 3, index: 0)) == false)
    }

    @Test("the name says how large the file is, and what is in it")
    func names() throws {
        let layout = try #require(BlobLayout(size: 5))
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash([1, 2, 3, 4, 5], at: 0)])
        #expect(tree.verifies([1, 2, 3, 4, 5], as: .chunk(0)) == true)
        #expect(tree.verifies([1, 2, 3, 4, 6], as: .chunk(0)) == false)
        #expect(BlobID(tree.id.description) == tree.id)
        for text in [
            "", "0", tree.id.description.uppercased() + "0", String(repeating: "g", count: 64),
        ] {
            #expect(BlobID(text) == nil)
        }
        let other = try #require(BlobLayout(size: 6))
        #expect(
            BlobTree(id: tree.id, layout: other).verifies([1, 2, 3, 4, 5, 0], as: .chunk(0))
                == false)
    }

    @Test("a set of chunks is what was put into it, on the wire, too", arguments: 0..<50)
    func chunks(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let total = Int(random.next() % 300) + 1
        var (chunks, model) = (ChunkSet(of: total), Set<Int>())
        for _ in 0..<Int(random.next() % 400) {
            let chunk = Int(random.next() % UInt64(total))
            chunks.insert(chunk)
            model.insert(chunk)
        }
        #expect(chunks.count == model.count && chunks.isWhole == (model.count == total))
        for start in 0...total {
            #expect(
                chunks.firstMissing(from: start) == (start..<total).first { !model.contains($0) })
        }
        #expect(ChunkSet(chunks.bytes, of: total) == chunks)
        #expect(ChunkSet(chunks.bytes + [0], of: total) == nil)
        if total % 8 > 0 {
            var beyond = chunks.bytes
            beyond[beyond.count - 1] |= 0x80
            #expect(ChunkSet(beyond, of: total) == nil)
        }
    }
}
