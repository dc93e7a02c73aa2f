import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("bits that flip in the database") struct RepairTests {
        private static let pageBytes = 2_048

        /// How a database is damaged.
        enum Damage: CustomStringConvertible {
            case bits([(place: Int, bit: Int)])
            /// Bytes overwritten with chance, as a failing disk does by sectors.
            case sectors([Int])
            case logBit(place: Int, bit: Int)

            var description: String {
                switch self {
                case .bits(let bits):
                    "bits " + bits.map { "\($0.place).\($0.bit)" }.joined(separator: " ")
                case .sectors(let places): "sectors \(places)"
                case .logBit(let place, let bit): "bit \(place).\(bit) of the log"
                }
            }
        }

        /// A node whose files can be put back, its peer, and what both show.
        final class Scene {
            let scratch: Scratch
            let peer: Node
            let node: Node
            /// The database of the stopped node.
            var database: [UInt8] = []
            /// The database and the log of the killed one.
            var killed: (database: [UInt8], log: [UInt8]) = ([], [])
            /// What `stoa history` prints.
            var shown: [String] = []
            var random: SeededRandom
            // What is counted over all damage.
            var named = 0
            var refused = 0
            var cut = 0
            var shownWhileDamaged = 0
            var errorsWhileDamaged = 0

            init(seed: UInt64) throws {
                self.random = SeededRandom(seed: seed)
                self.scratch = try Scratch()
                self.peer = try Node.onLoopback("peer", in: self.scratch)
                try self.peer.start()
                self.node = try Node.onLoopback(
                    "node", in: self.scratch, peers: [try self.peer.address()])
                try self.node.start()
                for node in [self.peer, self.node] { try node.join("agora") }
                let texts = (1...120).map { "\($0) " + String(repeating: "la ", count: $0 % 40) }
                for (index, text) in texts.enumerated() {
                    try [self.peer, self.node][index % 2].send(text, to: "agora")
                }
                try self.node.awaitTexts(texts, in: "agora")
                try self.peer.awaitTexts(texts, in: "agora")
                try self.node.kill()
                self.killed = (
                    try Self.read(self.path), try Self.read(self.path + "-wal")
                )
                try self.node.start()
                self.shown = try self.history()
                try self.node.stop()
                self.database = try Self.read(self.path)
            }

            var path: String { self.node.dataDirectory + "/stoa.db" }

            static func read(_ path: String) throws -> [UInt8] {
                try Files.read(path, limitBytes: 64 << 20)
            }

            /// The messages as `stoa history --json` prints them, but for what tells only how they
            /// came to this node.
            func history() throws -> [String] {
                try self.node.stoa("history", "agora", "--limit", "1000", "--json")
                    .split(separator: "\n").map { line in
                        let members = try JSON(parsing: Array(line.utf8)).objectValue ?? []
                        let agreed = members.filter { $0.name != "cursor" && $0.name != "late" }
                        return String(decoding: JSON.object(agreed).line, as: UTF8.self)
                    }
            }

            /// Puts damaged files in place of whatever is there, each with a new inode.
            func put(_ damage: Damage) throws {
                var (bytes, log): ([UInt8], [UInt8]?) = (self.database, nil)
                switch damage {
                case .bits(let bits): for (place, bit) in bits { bytes[place] ^= 1 << UInt8(bit) }
                case .sectors(let places):
                    for place in places {
                        for index in place..<min(place + 512, bytes.count) {
                            bytes[index] = .random(in: 0...255, using: &self.random)
                        }
                    }
                case .logBit(let place, let bit):
                    (bytes, log) = (self.killed.database, self.killed.log)
                    log?[place] ^= 1 << UInt8(bit)
                }
                for name in ["stoa.db", "stoa.db-wal", "stoa.db.damaged-*"] {
                    _ = try ChildProcess.run(
                        ["sh", "-c", "rm -f '\(self.node.dataDirectory)'/\(name)"])
                }
                try Files.writeAtomically(bytes, to: self.path)
                if let log { try Files.writeAtomically(log, to: self.path + "-wal") }
            }

            /// Damages, checks, reads, repairs, links, compares.
            func play(_ damage: Damage, readingDamaged: Bool) throws {
                try self.put(damage)
                let check = try self.node.stoad("--check")
                #expect(check.exit == .code(65), "\(damage): \(check)")
                #expect(check.output.contains("stoad --repair"), "\(damage): \(check)")
                self.named += 1
                if readingDamaged { try self.readDamaged(damage) }
                try self.put(damage)
                let repair = try self.node.stoad("--repair")
                #expect(repair.exit == .code(0), "\(damage): \(repair)")
                #expect(repair.output.contains("stoa.db.damaged-"), "\(damage): \(repair)")
                if repair.output.contains(" lost") { self.cut += 1 }
                let again = try self.node.stoad("--check")
                #expect(again.exit == .code(0), "\(damage): \(again)")
                // With the peer everything is there again, and nothing else.
                try self.node.start()
                let deadline = Deadline.patient
                try self.node.await("the whole history: \(damage)", deadline) { _ in
                    try self.history() == self.shown
                }
                let alerts = try self.node.call("status")["alerts"]?.arrayValue ?? []
                #expect(alerts.allSatisfy { $0["code"] != "fork" && $0["code"] != "damage" })
                try self.node.stop()
            }

            /// Runs the daemon over the damage: it says so and shows nothing that is wrong.
            private func readDamaged(_ damage: Damage) throws {
                try self.node.launch()
                if let exit = try self.node.awaitReadinessOrExit() {
                    // It refuses to start, and says what to do.
                    #expect(exit == .code(65), "\(damage): \(exit)")
                    self.refused += 1
                    return
                }
                do {
                    let shown = try self.history()
                    let sound = Set(self.shown)
                    #expect(shown.allSatisfy { sound.contains($0) }, "\(damage)")
                    let places = shown.compactMap { self.shown.firstIndex(of: $0) }
                    #expect(places == places.sorted(), "\(damage)")
                    // All of it: what cannot be read is an error, not a gap. But a last commit that
                    // is not whole is left out, as after a power cut, and that is said.
                    let isLeftOut = self.node.log.contains("It was left out")
                    #expect(shown == self.shown || isLeftOut, "\(damage)")
                    self.shownWhileDamaged += 1
                } catch let error as Broken {
                    #expect(error.description.contains("stoad --repair"), "\(damage): \(error)")
                    self.errorsWhileDamaged += 1
                }
                try self.node.kill()
            }
        }

        @Test("are named, never shown, and repaired: afterwards both show the same history")
        func repaired() throws {
            let seed: UInt64 = 20_261_120
            let scene = try Scene(seed: seed)
            let rounds = Surroundings.isLong ? 300 : 6
            let pages = scene.database.count / Self.pageBytes
            let watch = Stopwatch()
            // One bit in each page of the whole file, one after the other, all named by the check.
            var unnamed: [Int] = []
            for page in 0..<pages where Surroundings.isLong || page % 5 == 0 {
                let place =
                    page * Self.pageBytes + .random(in: 0..<Self.pageBytes, using: &scene.random)
                let bit = Int.random(in: 0...7, using: &scene.random)
                try scene.put(.bits([(place, bit)]))
                let check = try scene.node.stoad("--check")
                let isNamed =
                    check.exit == .code(65) && check.output.contains("page \(page + 1) of ")
                if !isNamed { unnamed.append(place) }
            }
            #expect(unnamed.isEmpty, "bytes \(unnamed) of \(scene.database.count)")
            for round in 0..<rounds {
                let damage: Damage =
                    switch round % 6 {
                    case 0: .bits([(.random(in: 0..<100, using: &scene.random), 3)])
                    case 1, 2:
                        .bits(
                            (0..<Int.random(in: 1...8, using: &scene.random)).map { _ in
                                (
                                    .random(in: 0..<scene.database.count, using: &scene.random),
                                    .random(in: 0...7, using: &scene.random)
                                )
                            })
                    case 3, 4:
                        .sectors(
                            (0..<(round % 3 + 1)).map { _ in
                                .random(in: 0..<scene.database.count / 512, using: &scene.random)
                                    * 512
                            })
                    default:
                        .logBit(
                            place: .random(in: 0..<scene.killed.log.count, using: &scene.random),
                            bit: .random(in: 0...7, using: &scene.random))
                    }
                try scene.play(damage, readingDamaged: true)
            }
            // The first page is gone: header and schema.
            try scene.play(.sectors((0..<8).map { $0 * 512 }), readingDamaged: true)
            print(
                "MEASURED repair: \(scene.named) damaged stores of \(pages) pages, seed \(seed): "
                    + "\(scene.refused) refused at the start, \(scene.errorsWhileDamaged) answered "
                    + "with an error, \(scene.shownWhileDamaged) shown whole; \(scene.cut) lost "
                    + "entries that the peer brought back; \(watch.milliseconds) ms")
        }

        @Test(
            "stop one conversation, not the others: the link stays, and the error says what to do")
        func others() throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("node", in: scratch)
            try node.start()
            try node.join("agora")
            for number in 1...100 {
                try node.send("\(number) " + String(repeating: "la ", count: 70), to: "agora")
            }
            try node.join("lab")
            let texts = (1...100).map { "\($0) " + String(repeating: "do ", count: 70) }
            for text in texts { try node.send(text, to: "lab") }
            try node.stop()
            let path = node.dataDirectory + "/stoa.db"
            var bytes = try Files.read(path, limitBytes: 64 << 20)
            let needle = Array("50 la la".utf8)
            let place = try #require(
                bytes.indices.dropLast(needle.count).first {
                    bytes[$0] == needle[0] && bytes[$0..<$0 + needle.count].elementsEqual(needle)
                })
            bytes[place] ^= 1
            try Files.writeAtomically(bytes, to: path)
            try node.start()
            #expect(try node.texts(in: "lab") == texts)
            #expect(throws: Broken.self) { try node.texts(in: "agora") }
            let said = try node.stoa("history", "agora", "--limit", "1000", expecting: 74)
            #expect(!said.contains("51 la"))
            let peer = try Node.onLoopback("peer", in: scratch, peers: [try node.address()])
            try peer.start()
            for room in ["agora", "lab"] { try peer.join(room) }
            try peer.awaitTexts(texts, in: "lab")
            #expect(try peer.texts(in: "lab") == texts)
            #expect(try peer.texts(in: "agora").isEmpty)
            #expect(try node.isLinked(to: peer) && peer.isLinked(to: node))
            try node.send("still here", to: "lab")
            try peer.awaitTexts(["still here"], in: "lab")
            let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
            let text = alerts.first { $0["code"] == "damage" }?["text"]?.stringValue
            #expect(text?.contains("does not have its checksum") == true, "\(alerts)")
            #expect(text?.contains("stoad --repair") == true)
            #expect(node.log.contains("does not have its checksum"))
        }

        @Test("keep the own messages that no peer has, but for those on the damaged page")
        func alone() throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("node", in: scratch)
            try node.start()
            try node.join("agora")
            let texts = (1...200).map { "nobody else has \($0)" }
            for text in texts { try node.send(text, to: "agora") }
            let incarnation = try node.call("status")["incarnation"]
            try node.stop()
            let path = node.dataDirectory + "/stoa.db"
            var bytes = try Files.read(path, limitBytes: 64 << 20)
            let needle = Array("nobody else has 150".utf8)
            let place = try #require(
                bytes.indices.dropLast(needle.count).first {
                    bytes[$0] == needle[0] && bytes[$0..<$0 + needle.count].elementsEqual(needle)
                })
            bytes[place] ^= 1
            // The first page is the same in every store but for counters.
            bytes[30] ^= 1
            try Files.writeAtomically(bytes, to: path)
            #expect(try node.stoad("--check").exit == .code(65))
            let repair = try node.stoad("--repair")
            #expect(repair.exit == .code(0) && repair.output.contains("lost, of your own"))
            try node.start()
            let kept = try node.texts(in: "agora")
            #expect(kept.count > 120 && kept.elementsEqual(texts.prefix(kept.count)))
            #expect(try node.call("status")["incarnation"] != incarnation)
            try node.send("and more", to: "agora")
            #expect(try node.texts(in: "agora") == kept + ["and more"])
            try node.stop()
        }
    }
}
