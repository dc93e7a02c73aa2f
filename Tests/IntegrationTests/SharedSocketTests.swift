import Glibc
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("the socket of a machine's account", Surroundings.labs) struct SharedSocketTests {
        /// The account, a job of the group, and somebody else; nobody has these numbers.
        private static let account = 61_011
        private static let job = 61_012
        private static let other = 61_013
        /// A group that every Debian machine has, and nobody is in.
        private static let group = (name: "games", number: 60)

        private let folder: TestFolder
        private let daemon: ChildProcess
        private let socket: String

        init() throws {
            let folder = try TestFolder()
            self.folder = folder
            self.socket = folder("run/control.sock")
            chmod(folder.path, 0o755)
            for name in ["run", "data", "state", "home"] {
                try Files.makePrivateDirectory(folder(name))
                chown(folder(name), uid_t(Self.account), gid_t(Self.account))
            }
            // Who may come to the socket is for whoever made its folder to say.
            chmod(folder("run"), 0o755)
            self.daemon = try ChildProcess(
                Self.become(Self.account, in: Self.group.number)
                    + [
                        "env", "-i", "HOME=\(folder("home"))", "XDG_STATE_HOME=\(folder("state"))",
                        "\(try Surroundings.programs())/stoad", "--data-dir", folder("data"),
                        "--socket", self.socket, "--socket-group", Self.group.name, "--listen",
                        "127.0.0.1:0", "--interface", "lo", "--discovery", "off",
                    ],
                errors: folder("log"))
            let deadline = Deadline.patient
            while !Files.exists(self.socket) {
                guard !deadline.hasPassed else {
                    let log = TestFiles.read(folder("log")) ?? []
                    throw Broken("no socket: \(String(decoding: log, as: UTF8.self))")
                }
            }
        }

        private static func become(_ user: Int, in group: Int?) -> [String] {
            ["setpriv", "--reuid", "\(user)", "--regid", "\(user)"]
                + (group.map { ["--groups", "\($0)"] } ?? ["--clear-groups"])
        }

        @discardableResult
        private func stoa(
            _ user: Int, in group: Int? = nil, _ arguments: String..., expecting code: Int32 = 0
        ) throws -> String {
            try ChildProcess.run(
                Self.become(user, in: group)
                    + ["\(try Surroundings.programs())/stoa", "--socket", self.socket] + arguments,
                expecting: code)
        }

        @Test("lets the account do all, its group read and write, and others nothing")
        func threeUsers() throws {
            let (account, job, other, group) = (
                Self.account, Self.job, Self.other, Self.group.number
            )
            try self.stoa(account, "join", "ops")
            try self.stoa(job, in: group, "send", "ops", "backup done", "--key", "monday")
            #expect(try self.stoa(job, in: group, "history", "ops").contains("backup done"))
            #expect(try self.stoa(account, "history", "ops").contains("backup done"))
            for line in [
                ["status"], ["rooms"], ["conversations"], ["people"], ["members", "ops"],
                ["search", "backup"], ["send", "@me", "a note"], ["usage"], ["peers"], [],
            ] {
                _ = try ChildProcess.run(
                    Self.become(job, in: group)
                        + ["\(try Surroundings.programs())/stoa", "--socket", self.socket] + line)
            }
            for line in [
                ["join", "more"], ["leave", "ops"], ["profile", "--name", "Mallory"],
                ["realm", "new", "office"], ["backup", "/tmp/stolen"], ["forget", "ops"],
                ["connect", "127.0.0.1:9"], ["mute", "ops"], ["create", "r", "--secret"],
                ["tail", "--kind", "message,request"],
            ] {
                _ = try ChildProcess.run(
                    Self.become(job, in: group)
                        + ["\(try Surroundings.programs())/stoa", "--socket", self.socket] + line,
                    expecting: 77)
            }
            try self.stoa(other, "status", expecting: 69)
            try self.stoa(job, "status", expecting: 69)
            #expect(!(try self.stoa(account, "status")).contains("Mallory"))
        }
    }
}
