import ControlAPI
import Glibc
import Posix
import Testing

extension IntegrationTests {
    @Suite("a secret that is given or taken") struct SecretTests {
        /// Writes a line for a command to read.
        private static func file(
            _ name: String, _ line: String, _ scratch: Scratch
        ) throws -> String {
            let path = scratch.path + "/" + name
            try Files.writeAtomically(Array((line + "\n").utf8), to: path, mode: 0o600)
            return path
        }

        /// What the system shows everybody of a process: proc(5).
        private static func shown(_ process: ChildProcess) throws -> String {
            let bytes = try Files.read(
                "/proc/\(process.processID)/cmdline", limitBytes: 1 << 20)
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Gives a secret as an argument to a command that has to wait for the daemon.
        private static func give(_ secret: String, _ words: [String], to node: Node) throws {
            let daemon = try node.processID()
            kill(daemon, SIGSTOP)
            defer { kill(daemon, SIGCONT) }
            let process = try ChildProcess(
                ["\(Surroundings.programs())/stoa", "--socket", node.socket] + words + [secret],
                environment: node.environment)
            let deadline = Deadline.patient
            while try shown(process).contains(secret) {
                try #require(!deadline.hasPassed, "everybody on this machine can see the secret")
            }
            kill(daemon, SIGCONT)
            #expect(try process.waitForExit() == .code(0))
        }

        @Test("is in no argument of a process that waits, in no log, in no room and in no file")
        func nowhere() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            ada.add(["--log-level", "debug"])
            try ada.start()
            let ben = try Node.onLoopback("Ben", in: scratch, peers: [try ada.address()])
            ben.add(["--log-level", "debug"])
            try ben.start()
            for node in [ada, ben] { try node.join("agora") }

            let chosen = "Mauve kettles orbit the velvet tundra of 1,983 quinces"
            let made = try ada.call("createConversation", ["room": "war"])
            let phrase = try #require(made["phrase"]?.stringValue)
            let invite = try #require(made["invite"]?.stringValue)
            try Self.give(invite, ["join"], to: ben)
            let law = try ada.stoa(
                "create", "law", "--secret", "--phrase-file",
                Self.file("chosen", chosen, scratch))
            let lawLine = try #require(
                law.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("stoa:") })
            _ = try ben.stoa(
                "join", "law", "--phrase-file", scratch.path + "/chosen")
            // In the words of six, and written as people write them.
            let written = phrase.uppercased().replacing(" ", with: ", ")
            _ = try ada.stoa("leave", "war")
            _ = try ada.stoa(
                "join", "war", "--phrase-file", Self.file("written", written, scratch))
            _ = try ada.stoa("realm", "new", "office")
            let realm = try ada.stoa("realm", "invite", "office").split(separator: "\n")[0]
            _ = try ben.stoa("realm", "join", Self.file("realm", String(realm), scratch))
            // Refused as an argument; it is not shown all the same.
            _ = try ben.stoa("realm", "join", String(realm), expecting: 64)
            let rotated = try ada.stoa("realm", "rotate", "office").split(separator: "\n")[0]
            let sealed = "The seventh lighthouse hums 4 purple waltzes"
            _ = try ada.stoa(
                "backup", scratch.path + "/backup", "--phrase-file",
                Self.file("sealed", sealed, scratch))
            let cleo = try Node.onLoopback("Cleo", in: scratch, peers: [try ada.address()])
            cleo.add(["--log-level", "debug"])
            try cleo.start()
            _ = try cleo.stoa(
                "restore", scratch.path + "/backup", "--phrase-file",
                scratch.path + "/sealed")
            for (room, node) in [("agora", ada), ("war", ada), ("law", ada)] {
                _ = try node.stoa("send", room, "zyxw-planted")
            }

            let phrases = [phrase, written, chosen, sealed]
            let lines = [invite, String(lawLine), String(realm), String(rotated)]
            for node in [ada, ben, cleo] {
                for room in try node.list("conversations").compactMap({ $0["id"]?.stringValue }) {
                    let texts = try node.texts(in: room).joined(separator: "\n")
                    for secret in phrases + lines { #expect(!texts.contains(secret)) }
                }
                try node.stop()
                // What is kept here is found, so the search can find something.
                #expect(try node === cleo || node.hasOnDisk("agora"))
                for secret in phrases + lines {
                    #expect(!node.log.contains(secret), "\(node.name)")
                }
                // A realm's secret is kept as the line that invites to it, for the user alone.
                for secret in phrases + [invite, String(lawLine)] {
                    let search = try ChildProcess(["grep", "-rqF", "--", secret, node.folder])
                    #expect(try search.waitForExit() == .code(1), "\(node.name)")
                }
            }
        }
    }
}
