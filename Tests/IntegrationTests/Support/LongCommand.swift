import ControlAPI
import Glibc
import Posix
import TestSupport

/// A `stoa` that waits, and what it needs around it: Ben's node, and Ada's, which is stopped.
final class LongCommand {
    typealias Exit = ChildProcess.Exit

    /// How many messages are there to be exported: more than a pipe holds.
    static let exported = 100
    private static let fileBytes = 600_000

    let me: Node
    private let other: Node
    private let scratch: Scratch
    private var words: [String] = []
    private var process: ChildProcess?
    private var exit: Exit?
    private var input: Int32?
    private var dialled: Int32 = -1
    private var content: [UInt8] = []

    var folder: String { self.scratch.path }
    private var saidPath: String { self.folder + "/said" }
    private var inputPath: String { self.folder + "/input" }

    init(_ words: [String], readsInput: Bool = false, before: [String] = []) throws {
        self.scratch = try Scratch()
        self.other = try Node.onLoopback("Ada", in: self.scratch)
        try self.other.start()
        let address = try self.other.address()
        self.other.add(["--listen", address])
        self.me = try Node.onLoopback("Ben", in: self.scratch, peers: [address])
        try self.me.start()
        for node in [self.me, self.other] { try node.join("ops") }
        var places = ["ROOM": "ops", "FOLDER": self.scratch.path]
        if words.contains("@Ada") {
            try self.me.await("Ada's name has come") { node in
                try node.list("peers").contains { $0["name"] == "Ada" }
            }
            try self.me.know("@Ada")
        }
        if words.contains("ID") {
            let path = self.scratch.path + "/file"
            self.content = try TestFiles.make(path, bytes: Self.fileBytes)
            _ = try self.other.stoa("send", "ops", "--file", path)
            try self.me.await("the message has come") { node in
                let messages = try node.call("history", ["to": "ops"])["messages"]?.arrayValue
                let file = messages?.last { $0["kind"] == "file" }
                places["ID"] = file?["id"]?.stringValue
                return file != nil
            }
        }
        try self.other.stop()
        if words.contains("export") {
            let text = String(repeating: "x", count: 3_000)
            for _ in 1...Self.exported { try self.me.send(text, to: "ops") }
        }
        if words.contains("restore") {
            try Files.writeAtomically([], to: self.scratch.path + "/backup")
        }
        if words.contains("ADDRESS") { places["ADDRESS"] = try self.listenSilently() }
        self.words = words.map { word in
            places.reduce(word) { text, place in
                text.split(separator: place.key, omittingEmptySubsequences: false)
                    .joined(separator: place.value)
            }
        }
        try self.begin(readsInput: readsInput, before: before)
    }

    deinit {
        if self.dialled >= 0 { close(self.dialled) }
        if let input = self.input { close(input) }
    }

    private func begin(readsInput: Bool, before: [String]) throws {
        var shell = "exec \"$@\""
        if readsInput {
            guard mkfifo(self.inputPath, 0o600) == 0 else { throw Broken("no pipe") }
            let number = open(self.inputPath, O_RDWR | O_CLOEXEC)
            guard number >= 0 else { throw Broken("no pipe") }
            self.input = number
            shell += " < '\(self.inputPath)'"
            try self.write("one\n")
        }
        let program = "\(try Surroundings.programs())/stoa"
        self.process = try ChildProcess(
            ["sh", "-c", shell, "sh"] + before + [program, "--socket", self.me.socket] + self.words,
            environment: self.me.environment, errors: self.saidPath)
    }

    // MARK: What it does

    /// What it has said on standard error.
    var said: String {
        let bytes = (try? Files.read(self.saidPath, limitBytes: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The key that it has named.
    func key() throws -> String {
        let words = self.said.split { " ;\n".contains($0) }
        guard let place = words.lastIndex(of: "--key"), place + 1 < words.count else {
            throw Broken("no key in: \(self.said)")
        }
        return String(words[place + 1])
    }

    /// Waits until it does what it is to be disturbed at.
    func awaitWaiting(_ isWaiting: (LongCommand) throws -> Bool) throws {
        try self.await("it waits") { try self.awaitsSignals() && self.hasReadInput() }
        try self.await("it waits for what is to come") { try isWaiting(self) }
    }

    private func await(_ what: String, _ holds: () throws -> Bool) throws {
        try self.me.await(what) { _ in
            guard try holds() else {
                if self.process?.hasEndedOutput == true { throw Broken(self.said) }
                return false
            }
            return true
        }
    }

    /// Whether it takes SIGTERM itself, and is connected: proc_pid_status(5).
    private func awaitsSignals() throws -> Bool {
        guard let process = self.process else { return false }
        let folder = "/proc/\(process.processID)"
        let status = String(
            decoding: try Files.read("\(folder)/status", limitBytes: 65_536), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") } ?? ""
        let caught = UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16) ?? 0
        guard caught & 1 << UInt64(SIGTERM - 1) != 0 else { return false }
        // Some ask the daemon only later.
        guard self.input == nil, self.words.first != "run" else { return true }
        return try Files.names(in: "\(folder)/fd").contains { name in
            var status = stat()
            return stat("\(folder)/fd/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    /// Whether what was written for it is read.
    private func hasReadInput() -> Bool {
        self.input.map { ChildProcess.unreadBytes(in: $0) == 0 } ?? true
    }

    /// Whether its output is a full pipe, of sixteen pages.
    var hasFilledOutput: Bool { (self.process?.unreadBytes ?? 0) > 15 * 4_096 }

    /// Whether a consumer has a reader.
    func hasReader() throws -> Bool {
        try self.me.list("consumers").contains { $0["live"] == true }
    }

    /// Waits until it has said something.
    func awaitSaid(_ text: String) throws { try self.await(text) { self.said.contains(text) } }

    /// Takes a line of what it prints.
    func nextLine() throws -> Bool { try self.process?.nextLine() != nil }

    /// All that it prints.
    func output() throws -> String { try self.process?.rest() ?? "" }

    func signal(_ number: Int32) { self.process?.signal(number) }

    @discardableResult
    func awaitExit() throws -> Exit {
        if let exit = self.exit { return exit }
        guard let process = self.process else { throw Broken("it was not started") }
        let exit = try process.waitForExit()
        self.exit = exit
        return exit
    }

    /// Runs the same command again, with more words.
    func again(_ more: String...) throws -> String {
        try ChildProcess.run(
            ["\(try Surroundings.programs())/stoa", "--socket", self.me.socket] + self.words + more,
            environment: self.me.environment)
    }

    // MARK: What is done around it

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard let input = self.input, Glibc.write(input, bytes, bytes.count) == bytes.count
        else { throw Broken("its input takes nothing") }
    }

    func endInput(after text: String = "") throws {
        if !text.isEmpty { try self.write(text) }
        if let input = self.input { close(input) }
        self.input = nil
    }

    /// The texts of the room, without what was there before.
    func texts() throws -> [String] { try self.me.texts(in: "ops") }

    /// Starts Ada's node, to which Ben's links.
    func bringOther() throws { try self.other.start() }

    /// Has Ada answer the question.
    func answer(_ text: String) throws {
        try self.bringOther()
        var question: String?
        try self.other.await("the question has come") { node in
            let messages = try node.call("history", ["to": "ops"])["messages"]?.arrayValue
            question = messages?.last { $0["text"] == "Well?" }?["id"]?.stringValue
            return question != nil
        }
        _ = try self.other.stoa("send", "ops", "--reply", question ?? "", text)
        try self.me.await("the answer has come") { try $0.texts(in: "ops").contains(text) }
    }

    /// Sends something of which the command is to tell after a restart, and ends it.
    func seeNews() throws {
        if !self.said.isEmpty { try self.awaitSaid("connected again") }
        try self.me.send("news", to: "ops")
        while let line = try self.process?.nextLine() {
            guard line.contains("news") else { continue }
            return self.signal(SIGTERM)
        }
        throw Broken("no news: \(self.said)")
    }

    /// Sends a stream that the command is to receive.
    func stream(_ text: String) throws {
        let program = "\(try Surroundings.programs())/stoa"
        // A file has its end at once, so that text and end are one part.
        let file = self.folder + "/piece"
        try Files.writeAtomically(Array(text.utf8), to: file)
        _ = try ChildProcess.run(
            [
                "sh", "-c", "exec \"$1\" --socket \"$2\" stream send ops data < \"$3\"", "sh",
                program, self.me.socket, file,
            ], environment: self.me.environment)
    }

    /// Whether the file that was fetched is whole.
    func checkSaved() throws {
        guard TestFiles.read(self.folder + "/saved") == self.content else {
            throw Broken("what was saved is not the file")
        }
    }

    // MARK: Dials

    /// Listens where nobody answers; gives the address.
    private func listenSilently() throws -> String {
        self.dialled = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(self.dialled, $0, length) == 0 && listen(self.dialled, 4) == 0
                    && getsockname(self.dialled, $0, &length) == 0
            }
        }
        guard isBound else { throw Broken("nothing listens: \(errno)") }
        return "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    }

    /// Stops listening there.
    func refuseDials() {
        close(self.dialled)
        self.dialled = -1
    }
}
