import ControlAPI
import Glibc
import Posix
import Testing

extension IntegrationTests {
    @Suite("a disk of which one call fails") struct FaultTests {
        @Test(
            "nothing goes round the shim: the kernel sees the calls that it counts",
            Surroundings.labs)
        func complete() throws {
            let scratch = try Scratch()
            let shim = try FaultShim(in: scratch)
            let node = try Node.onLoopback("watched", in: scratch)
            let trace = scratch.path + "/trace"
            let calls = Self.systemCalls.flatMap(\.value).joined(separator: ",")
            // strace prints the path of each descriptor.
            node.wrap(
                in: ["strace", "-D", "-f", "-y", "-qq", "-o", trace, "-e", "trace=\(calls)"]
                    + shim.command(for: node))
            try node.start()
            try node.join("agora")
            for number in 1...20 { try node.send("message \(number)", to: "agora") }
            try node.stop()
            let counted = try shim.counts(of: node).calls
            // Of the directories above those of the node only what makes names in them durable.
            let above = Self.directories(above: node.dataDirectory).flatMap {
                ["<\($0)>)", "\"\($0)\", O_RDONLY|O_CLOEXEC|O_DIRECTORY"]
            }
            let lines = String(
                decoding: try Files.read(trace, limitBytes: 16 << 20), as: UTF8.self
            ).split(separator: "\n").filter { line in
                line.contains(node.dataDirectory) || line.contains(node.folder + "/.local")
                    || above.contains { line.contains($0) }
            }
            for kind in FaultShim.Kind.allCases {
                let names = Self.systemCalls[kind] ?? []
                let seen = lines.count { line in names.contains { line.contains(" \($0)(") } }
                #expect(seen == counted[kind], "\(kind): the kernel saw \(seen)")
                #expect(seen > 0, "a session makes calls of every kind")
            }
            // Ways to change a file that the shim does not know.
            let others = lines.filter { line in
                Self.unknown.contains { line.contains(" \($0)(") }
                    || line.contains("MAP_SHARED") && line.contains("PROT_WRITE")
            }
            #expect(others.isEmpty, "\(others)")
        }

        private static func directories(above path: String) -> [String] {
            var directories = [Files.parent(of: path)]
            while let last = directories.last, last != "/" {
                directories.append(Files.parent(of: last))
            }
            return directories
        }

        /// What the kernel calls what the shim counts.
        private static let systemCalls: [FaultShim.Kind: [String]] = [
            .open: ["open", "openat", "creat"], .read: ["read", "pread64"],
            .write: ["write", "pwrite64"], .sync: ["fsync", "fdatasync"],
            .rename: ["rename", "renameat", "renameat2"], .truncate: ["ftruncate"],
            .unlink: ["unlink"], .mkdir: ["mkdir"],
        ]

        private static let unknown = [
            "writev", "pwritev", "pwritev2", "fallocate", "truncate", "unlinkat", "mkdirat",
            "link", "linkat", "symlink", "copy_file_range", "sendfile", "sync_file_range",
        ]

        @Test(
            "is told of or survived, and nothing that was acknowledged is lost",
            Surroundings.compiler)
        func eachInTurn() throws {
            let stopwatch = Stopwatch()
            let scratch = try Scratch()
            let shim = try FaultShim(in: scratch)
            let unharmed = FaultSession.run(shim, nil)
            #expect(unharmed.problems.isEmpty && unharmed.refusals.isEmpty, "\(unharmed)")
            let all = FaultShim.Kind.allCases.flatMap { kind in
                (1...max(1, unharmed.calls[kind] ?? 0)).flatMap { number in
                    Self.ways(kind).map {
                        FaultShim.Fault(kind: kind, number: number, how: $0)
                    }
                }
            }
            let faults = Self.spread(
                all, Surroundings.number("FAULTS", long: all.count, short: 160))
            // Most of a session's time goes by in waiting.
            let outcomes = try inParallel(faults, width: 8) { FaultSession.run(shim, $0) }
            for problem in outcomes.flatMap(\.problems) { Issue.record("\(problem)") }
            let met = outcomes.reduce(0) { $0 + $1.failures }
            var refusals: [String: Int] = [:]
            for refusal in outcomes.flatMap(\.refusals) { refusals[refusal, default: 0] += 1 }
            print(
                "MEASURED \(faults.count) of \(all.count) single faults, \(met) met: "
                    + "\(stopwatch.milliseconds) ms; refused and told: "
                    + refusals.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                    .joined(separator: ", ") + "; calls of a session: "
                    + FaultShim.Kind.allCases.map { "\($0) \(unharmed.calls[$0] ?? 0)" }
                    .joined(separator: ", "))
            // Two sessions do not make quite the same calls, so the last of a kind may be missed.
            #expect(met * 10 >= faults.count * 9)
        }

        /// How a call of a kind fails: as broken disks, full disks and exhausted processes do.
        private static func ways(_ kind: FaultShim.Kind) -> [FaultShim.Fault.How] {
            switch kind {
            case .open: [.code(EMFILE), .code(EIO)]
            case .read, .truncate, .unlink: [.code(EIO)]
            case .write: [.code(EIO), .code(ENOSPC), .short, .torn]
            case .sync: [.code(EIO), .code(ENOSPC)]
            case .rename: [.code(EIO), .code(ENOSPC)]
            case .mkdir: [.code(ENOSPC)]
            }
        }

        /// As many as wanted, evenly over all.
        private static func spread(
            _ faults: [FaultShim.Fault], _ wanted: Int
        ) -> [FaultShim.Fault] {
            guard wanted < faults.count else { return faults }
            return (0..<wanted).map { faults[$0 * faults.count / wanted] }
        }
    }
}
