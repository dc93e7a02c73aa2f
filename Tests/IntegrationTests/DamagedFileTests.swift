import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    /// Each way of damage, for a small file, one of several parts and one that is partly fetched, at rest and
    /// while the daemon runs: no wrong byte reaches anybody, it is said, and one good copy heals all.
    @Suite("files that are damaged on disk") struct DamagedFileTests {
        /// What becomes of a file behind the daemon's back.
        private enum Harm: CaseIterable {
            case flip, cut, empty, remove

            func hit(_ path: String) throws {
                let file = try RandomAccessFile(reading: path)
                switch self {
                case .remove: try Files.remove(path)
                case .cut: try #require(truncate(path, off_t(file.size) - 1) == 0)
                case .empty: try #require(truncate(path, 0) == 0)
                case .flip:
                    let byte = try file.read(at: 100, count: 1)
                    try RandomAccessFile(writing: path).write([byte[0] ^ 1], at: 100)
                }
            }
        }

        private enum Kind: CaseIterable { case small, chunked, partial }

        private struct Case {
            var harm: Harm
            var kind: Kind
            var source: String
            var bytes: [UInt8]
            var message = ""
            var blob = ""

            func path(at node: Node, isWhole: Bool) -> String {
                let suffix = self.kind == .partial && !isWhole ? ".part" : ""
                return "\(node.dataDirectory)/files/\(self.blob)\(suffix)"
            }

            func isWhole(at node: Node) -> Bool {
                TestFiles.read(self.path(at: node, isWhole: true)) == self.bytes
            }
        }

        private let scratch: Scratch
        private let ada: Node
        private let ben: Node
        private let cleo: Node
        private var cases: [Case] = []

        /// Ada has sent a file for each case, and Ben has fetched them; Cleo has none.
        init() throws {
            self.scratch = try Scratch()
            (self.ada, self.ben, self.cleo) = try Node.three(in: "agora", self.scratch)
            for node in [self.ada, self.ben, self.cleo] {
                node.add(["--listen", try node.address(), "--auto-fetch", "0"])
            }
            for (number, harm) in Harm.allCases.enumerated() {
                for kind in Kind.allCases {
                    let source = "\(self.scratch.path)/\(harm)-\(kind)"
                    let bytes = try TestFiles.make(
                        source, bytes: kind == .small ? 1_000 : 600_000,
                        seed: UInt64(number * 10 + (kind == .partial ? 1 : 2)))
                    self.cases.append(Case(harm: harm, kind: kind, source: source, bytes: bytes))
                }
            }
            for index in self.cases.indices { try self.send(index) }
        }

        private mutating func send(_ index: Int) throws {
            let known = Set(TestFiles.names(in: self.ben.dataDirectory + "/files"))
            let said = try self.ada.stoa(
                "--json", "send", "agora", "--file", self.cases[index].source)
            let line = Array((said.split(separator: "\n").last ?? "").utf8)
            let id = try #require(JSON(parsing: line)["id"]?.stringValue)
            try self.ben.await("the message") { node in
                try node.history(of: "agora").contains { $0["id"]?.stringValue == id }
            }
            _ = try self.ben.stoa("fetch", id, "-o", self.cases[index].source + "-ben")
            var blob: String?
            try self.ben.await("it is kept") { node in
                let names = TestFiles.names(in: node.dataDirectory + "/files")
                blob = names.first { $0.count == 64 && !known.contains($0) }
                return blob != nil
            }
            self.cases[index].message = id
            self.cases[index].blob = try #require(blob)
        }

        /// Makes Ben's copies of some those of a fetch that has come half of its way.
        private func halve() throws {
            for one in self.cases where one.kind == .partial {
                let whole = one.path(at: self.ben, isWhole: true)
                let file = try RandomAccessFile(writing: whole)
                try file.write([UInt8](repeating: 0, count: 262_144), at: 262_144)
                try Files.move(whole, to: whole + ".part")
            }
        }

        private func harm() throws {
            for one in self.cases { try one.harm.hit(one.path(at: self.ben, isWhole: false)) }
        }

        /// Whatever a node gives of the files is right, though the only good copies are away.
        private func expectNoWrongByte(at node: Node) throws {
            let takers = try self.cases.enumerated().map { number, one in
                let place = "\(self.scratch.path)/\(node.name)-\(number)"
                return (
                    one, place,
                    try node.startStoa("--timeout", "2", "fetch", one.message, "-o", place)
                )
            }
            for (one, place, taker) in takers {
                let exit = try taker.waitForExit()
                let saved = TestFiles.read(place)
                #expect(exit == .code(saved == nil ? 75 : 0), "\(one.harm) \(one.kind)")
                #expect(saved == nil || saved == one.bytes, "\(one.harm) \(one.kind)")
            }
        }

        private func alert(at node: Node) throws -> String? {
            let alerts = try node.call("status")["alerts"]?.arrayValue ?? []
            return alerts.first { $0["code"] == "fileDamage" }?["text"]?.stringValue
        }

        private func expectHealed(_ nodes: Node...) throws {
            for node in nodes {
                try node.await("all are whole again", Deadline(afterMilliseconds: 180_000)) {
                    node in
                    try self.cases.allSatisfy { $0.isWhole(at: node) }
                        && self.alert(at: node) == nil
                }
                try node.stop()
                #expect(try node.stoad("--check").exit == .code(0))
                try node.start()
            }
        }

        @Test("at rest: the check names each, and the next start heals it without a command")
        func atRest() throws {
            try self.ben.stop()
            #expect(try self.ben.stoad("--check").exit == .code(0))
            try self.halve()
            #expect(try self.ben.stoad("--check").exit == .code(0))
            try self.harm()
            let check = try self.ben.stoad("--check")
            #expect(check.exit == .code(65))
            for one in self.cases where one.kind != .partial || one.harm == .remove {
                #expect(check.output.contains(one.blob), "\(one.harm) \(one.kind)")
            }
            try self.ada.stop()
            try self.ben.start()
            try self.expectNoWrongByte(at: self.ben)
            try self.expectNoWrongByte(at: self.cleo)
            try self.ben.await("it is told") { try self.alert(at: $0) != nil }
            #expect(try self.ben.stoa("doctor", expecting: 2).contains("was damaged or removed"))
            try self.ada.start()
            try self.expectHealed(self.ben, self.cleo)
        }

        @Test(
            "while the daemon runs: who reads it finds it, and is given what is right once it can be"
        )
        func running() throws {
            try self.ben.stop()
            try self.halve()
            try self.ada.stop()
            try self.ben.start()
            try self.ben.await("it has looked at what is there") { node in
                try node.list("transfers").filter { $0["state"] == "seeking" }.count == 4
            }
            try self.harm()
            try self.expectNoWrongByte(at: self.cleo)
            try self.expectNoWrongByte(at: self.ben)
            try self.ben.await("it is told") { try self.alert(at: $0) != nil }
            try self.ada.start()
            try self.expectHealed(self.ben, self.cleo)
        }

        @Test("stoad --repair leaves what is right, and the next start heals the rest")
        func repaired() throws {
            try self.ben.stop()
            try self.harm(.small)
            let repair = try self.ben.stoad("--repair")
            #expect(repair.exit == .code(0) && repair.output.contains("damaged files"))
            try self.ben.start()
            try self.expectHealed(self.ben)
        }

        private func harm(_ kind: Kind) throws {
            for one in self.cases where one.kind == kind {
                try one.harm.hit(one.path(at: self.ben, isWhole: true))
            }
        }

        @Test(
            "sending the good original again heals the copy of who sends, and peers go on by themselves"
        )
        func sentAgain() throws {
            try self.ben.stop()
            for one in self.cases where one.kind != .partial {
                try one.harm.hit(one.path(at: self.ada, isWhole: true))
            }
            let wanted = self.cases.filter { $0.kind != .partial }
            let takers = try wanted.map {
                try self.cleo.startStoa("fetch", $0.message, "-o", $0.source + "-cleo")
            }
            try self.ada.await("it is told") { try self.alert(at: $0) != nil }
            for one in wanted { _ = try self.ada.stoa("send", "agora", "--file", one.source) }
            for (one, taker) in zip(wanted, takers) {
                #expect(try taker.waitForExit() == .code(0))
                #expect(TestFiles.read(one.source + "-cleo") == one.bytes)
            }
        }
    }
}
