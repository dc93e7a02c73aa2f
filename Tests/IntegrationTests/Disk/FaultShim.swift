import Glibc
import Posix

/// The failing disk of Tests/System/Disk/faultfs.c, compiled for one test.
struct FaultShim: Sendable {
    /// The calls that can fail, in the order of the file.
    enum Kind: Int, CaseIterable, Sendable {
        case open, read, write, sync, rename, truncate, unlink, mkdir
    }

    /// One call that fails: the `number`-th of its kind, over all runs of a daemon.
    struct Fault: Sendable, CustomStringConvertible {
        var kind: Kind
        var number: Int
        var how: How

        enum How: Sendable {
            case code(Int32)
            /// Half is written, and the call says so.
            case short
            /// Half is written, and the call fails.
            case torn
        }

        var description: String {
            let how =
                switch self.how {
                case .code(let code): "\(code)"
                case .short: "short"
                case .torn: "torn"
                }
            return "\(self.kind):\(self.number):\(how)"
        }
    }

    private let library: String

    init(in scratch: Scratch) throws {
        self.library = scratch.path + "/faultfs.so"
        _ = try ChildProcess.run(
            [
                "sh", "-c", "$(command -v cc || command -v clang) \"$@\"", "sh", "-shared", "-fPIC",
                "-O1", "-Wall", "-Wextra", "-Werror", "-o", self.library,
            ]
                + ["\(Surroundings.project)/Tests/System/Disk/faultfs.c", "-ldl"])
    }

    /// What goes before a node's daemon so that the shim stands between it and its disk.
    func command(
        for node: Node, fault: Fault? = nil, log: String? = nil, number: Int = 0
    ) -> [String] {
        var command = [
            "env", "LD_PRELOAD=\(self.library)", "FAULTFS_NODE=\(number)",
            "FAULTFS_DIRS=\(node.dataDirectory):\(node.folder)/.local",
            "FAULTFS_PAGE=\(Self.page(of: node))",
        ]
        if let fault { command.append("FAULTFS_FAIL=\(fault)") }
        if let log { command.append("FAULTFS_LOG=\(log)") }
        return command
    }

    private static func page(of node: Node) -> String { node.folder + "/calls" }

    /// How often a node's daemons have made each kind of call, and how many of them failed.
    func counts(of node: Node) throws -> (calls: [Kind: Int], failures: Int) {
        let bytes = try Files.read(Self.page(of: node), limitBytes: 4_096)
        let numbers = (0...Kind.allCases.count).map { index in
            bytes[(index * 8)..<(index * 8 + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let calls = Kind.allCases.map { ($0, numbers[$0.rawValue]) }
        return (Dictionary(uniqueKeysWithValues: calls), numbers[Kind.allCases.count])
    }
}
