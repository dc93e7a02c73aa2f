import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    /// What newcomers and scripts get wrong beside a running daemon, and what they are told.
    ///
    /// `Mistakes.txt` has the commands and the answers. Mistakes that no daemon is asked about are in
    /// `ControlClientTests`.
    @Suite("mistakes") struct MistakeTests {
        private static let path = TestFiles.tests + "/IntegrationTests/Mistakes.txt"

        /// The commands of the file: the lines that begin with a dollar sign.
        private static func commands() throws -> [String] {
            String(decoding: try Files.read(Self.path, limitBytes: 1 << 20), as: UTF8.self)
                .split(separator: "\n").filter { $0.hasPrefix("$ ") }
                .map { String($0.dropFirst(2)) }
        }

        /// A node with a room, a message in it, and some files.
        private static func node(_ scratch: Scratch) throws -> (Node, message: String) {
            let node = try Node.onLoopback("Ada", in: scratch)
            try node.start()
            try node.join("ops")
            let said = try node.stoa("send", "ops", "hello", "--json")
            guard let id = said.split(separator: "\"").first(where: { $0.count == 52 }) else {
                throw Broken("no id in \(said)")
            }
            try Files.writeAtomically(
                Array("x".utf8), to: node.folder + "/notes.txt", mode: 0o600)
            return (node, String(id))
        }

        /// What a shell in the node's folder prints for a command, and the exit code before it.
        private static func answer(_ command: String, _ node: Node, _ message: String) throws
            -> String
        {
            var environment = node.environment
            environment["PATH"] = "\(try Surroundings.programs()):/usr/bin:/bin"
            environment["STOA_SOCKET"] = node.socket
            environment["ID"] = message
            let said = try ChildProcess.run(
                [
                    "sh", "-c",
                    "cd '\(node.folder)' || exit 1; { \(command); } </dev/null 2>&1; echo \"exit $?\"",
                ], environment: environment)
            return said.replacing(node.folder, with: "FOLDER").replacing(message, with: "ID")
                .replacing(message.prefix(12), with: "ID")
        }

        @Test("are answered with the thing and the next step; STOA_WRITE_MISTAKES=1 writes anew")
        func golden() throws {
            let scratch = try Scratch()
            let (node, message) = try Self.node(scratch)
            let commands = try Self.commands()
            #expect(commands.count >= 66, "a hundred with those of the client alone")
            var text = ""
            for command in commands {
                let answer = try Self.answer(command, node, message)
                text +=
                    "$ \(command)\n"
                    + answer.split(separator: "\n").map { "  \($0)\n" }.joined()
                let code = answer.split(separator: " ").last.flatMap {
                    Int($0.prefix { $0 != "\n" })
                }
                #expect(code.map { 64...78 ~= $0 } ?? false, "\(command)")
                #expect(answer.hasPrefix("stoa: "), "\(command)")
                #expect(answer.contains("; "), "\(command): no next step in \(answer)")
                // A name that only programs on the socket know.
                #expect(!answer.contains("cannot be used; give a string"), "\(command)")
            }
            if ProcessEnvironment.variable("STOA_WRITE_MISTAKES") == "1" {
                try Files.writeAtomically(Array(text.utf8), to: Self.path, mode: 0o644)
            }
            let kept = try Files.read(Self.path, limitBytes: 1 << 20)
            #expect(String(decoding: kept, as: UTF8.self) == text)
        }
    }
}
