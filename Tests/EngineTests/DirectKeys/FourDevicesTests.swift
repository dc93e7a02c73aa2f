import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Two people with two devices each") struct FourDevicesTests {
    /// What lets devices tell each other what was read.
    private func tellMarks(_ scene: inout DirectNet) {
        for _ in 0..<3 {
            scene.net.pass(milliseconds: 30_000)
            for number: UInt8 in 1...4 { scene.net[number].give(.timer(.marks)) }
            scene.net.settle()
        }
    }

    @Test("have all in one order, and have read as far, once they meet that were apart both ways")
    func meet() {
        var scene = DirectNet()
        // Ada has 1 and 2, Bea 3 and 4.
        scene.disconnect(1, from: 2, 4)
        scene.disconnect(3, from: 2, 4)
        for number: UInt8 in 1...4 { scene.write("first of \(number)", by: number) }
        scene.disconnect(1, from: 3)
        scene.disconnect(2, from: 4)
        scene.net.connect(1, 4)
        scene.net.connect(2, 3)
        scene.pass()
        for number: UInt8 in 1...4 { scene.write("second of \(number)", by: number) }
        scene.pass()
        for number: UInt8 in [1, 3] {
            scene.net.ask(number, .read(scene.conversation, through: Cursor(.max)))
        }
        scene.net.settle()
        for (one, other) in [(1, 2), (1, 3), (2, 4), (3, 4)] as [(UInt8, UInt8)] {
            scene.net.connect(one, other)
        }
        self.tellMarks(&scene)
        #expect(scene.texts(at: 1).count == 8)
        for number: UInt8 in 2...4 { #expect(scene.texts(at: number) == scene.texts(at: 1)) }

        // Of what its user has read here, or on the other device.
        func reads(at number: UInt8, of author: UInt8) -> UInt64? {
            let (device, log) = (scene.net[number], scene.net[author].node.ownLog)
            let key = LogKey(conversation: scene.conversation, name: log)
            return device.node.receipts.marks.reads(in: scene.conversation)[log]
                ?? device.savedPositions[key]?[Harness.peer(number)]?.read
        }
        for (devices, authors) in [([1, 2], [3, 4]), ([3, 4], [1, 2])] as [([UInt8], [UInt8])] {
            for author in authors {
                let read = devices.map { reads(at: $0, of: author) }
                #expect(read[0] != nil && read[0] == read[1], "of \(author): \(read)")
            }
        }
    }
}
