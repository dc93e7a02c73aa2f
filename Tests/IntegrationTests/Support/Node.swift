import ControlAPI
import Glibc
import Posix

/// A real `stoad` with its own folder, on this machine's loopback or on a host of a lab.
final class Node {
    let name: String
    let folder: String
    private var prefix: [String]
    private var arguments: [String]
    private var process: ChildProcess?
    private var connection: ControlConnection?
    private let readiness: ReadinessSocket

    /// A node that is not running yet; `arguments` are those of `stoad` beside its paths.
    init(
        _ name: String, in scratch: Scratch, on prefix: [String] = [], _ arguments: [String]
    ) throws {
        self.name = name
        self.folder = try scratch.folder(name)
        self.dataDirectory = self.folder + "/data"
        self.prefix = prefix
        self.arguments = arguments
        self.readiness = try ReadinessSocket(path: self.folder + "/notify")
    }

    /// A node for loopback that finds nobody by itself.
    static func onLoopback(
        _ name: String, in scratch: Scratch, peers: [String] = []
    ) throws -> Node {
        try Node(
            name, in: scratch,
            ["--listen", "127.0.0.1:0", "--interface", "lo", "--discovery", "off"]
                + peers.flatMap { ["--peer", $0] })
    }

    /// Ada and Ben, started and linked to one another, in a room.
    static func two(in room: String, _ scratch: Scratch) throws -> (Node, Node) {
        let ada = try Node.onLoopback("Ada", in: scratch)
        try ada.start()
        let ben = try Node.onLoopback("Ben", in: scratch, peers: [try ada.address()])
        try ben.start()
        for node in [ada, ben] { try node.join(room) }
        return (ada, ben)
    }

    /// One that runs, and one that has it as its peer and is stopped, both in a room.
    static func stoppedSender(
        to room: String, _ scratch: Scratch
    ) throws -> (receiver: Node, sender: Node) {
        let receiver = try Node.onLoopback("receiver", in: scratch)
        try receiver.start()
        try receiver.join(room)
        let sender = try Node.onLoopback(
            "sender", in: scratch, peers: [try receiver.address()])
        try sender.start()
        try sender.join(room)
        try sender.stop()
        return (receiver, sender)
    }

    /// Ada, Ben and Cleo, started and linked to one another, in a room.
    static func three(in room: String, _ scratch: Scratch) throws -> (Node, Node, Node) {
        let ada = try Node.onLoopback("Ada", in: scratch)
        try ada.start()
        let ben = try Node.onLoopback("Ben", in: scratch, peers: [try ada.address()])
        try ben.start()
        let cleo = try Node.onLoopback(
            "Cleo", in: scratch, peers: [try ada.address(), try ben.address()])
        try cleo.start()
        for node in [ada, ben, cleo] { try node.join(room) }
        return (ada, ben, cleo)
    }

    private(set) var dataDirectory: String
    /// What the environment of its programs has beside the usual.
    var surroundings: [String: String] = [:]
    var socket: String { self.folder + "/control.sock" }
    private var logPath: String { self.folder + "/log" }

    /// What the daemon wrote to its log, over all its runs.
    var log: String {
        String(
            decoding: (try? Files.read(self.logPath, limitBytes: 16 << 20)) ?? [], as: UTF8.self)
    }

    /// What its programs are started with.
    var environment: [String: String] {
        [
            "PATH": ProcessEnvironment.variable("PATH") ?? "/usr/bin:/bin", "LANG": "C.UTF-8",
            "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder,
            "NOTIFY_SOCKET": self.readiness.path, "SWIFT_BACKTRACE": "enable=no",
        ].merging(self.surroundings) { $1 }
    }

    /// Adds arguments for the next start.
    func add(_ arguments: [String]) { self.arguments += arguments }

    /// Has the next start dial nobody who was named.
    func forgetPeers() {
        while let place = self.arguments.firstIndex(of: "--peer") {
            self.arguments.removeSubrange(place...place + 1)
        }
    }

    /// Keeps the data of the next daemons elsewhere.
    func useDataDirectory(_ path: String) { self.dataDirectory = path }

    /// Runs the next daemons under another command, such as strace -D, which leaves them their number.
    func wrap(in prefix: [String]) { self.prefix = prefix }

    /// Starts the daemon without waiting for anything.
    func launch() throws {
        precondition(self.process == nil, "it runs already")
        self.process = try ChildProcess(
            self.prefix + ["\(Surroundings.programs())/stoad", "--name", self.name]
                + ["--data-dir", self.dataDirectory, "--socket", self.socket] + self.arguments,
            environment: self.environment, errors: self.logPath)
    }

    /// Waits until the daemon says that it is ready.
    func awaitReadiness(_ deadline: Deadline = .patient) throws {
        while let said = try self.readiness.next(deadline) {
            if said.split(separator: "\n").contains("READY=1") { return }
        }
        throw Broken("\(self.name) is not ready:\n\(self.log)")
    }

    /// Waits until the daemon says that it is ready; else tells how it ended.
    func awaitReadinessOrExit() throws -> ChildProcess.Exit? {
        guard let process = self.process else { throw Broken("\(self.name) does not run") }
        let deadline = Deadline.patient
        while !deadline.hasPassed {
            let said = try self.readiness.next(Deadline(afterMilliseconds: 5))
            if said?.split(separator: "\n").contains("READY=1") == true { return nil }
            // Its end ends its standard output, which is otherwise silent.
            if process.hasEndedOutput {
                self.process = nil
                self.connection = nil
                return try process.waitForExit()
            }
        }
        throw Broken("\(self.name) is not ready:\n\(self.log)")
    }

    func start() throws {
        try self.launch()
        try self.awaitReadiness()
    }

    /// Ends the daemon without warning.
    func kill() throws {
        self.connection = nil
        try self.process?.kill()
        self.process = nil
        // What a dead daemon said is not taken for the next one's word.
        while try self.readiness.next(Deadline(afterMilliseconds: 0)) != nil {}
    }

    /// The number of the running daemon.
    func processID() throws -> pid_t {
        guard let process = self.process else { throw Broken("\(self.name) does not run") }
        return process.processID
    }

    /// Waits for a daemon that ends by itself.
    func exit() throws -> ChildProcess.Exit {
        self.connection = nil
        guard let process = self.process else { throw Broken("\(self.name) does not run") }
        self.process = nil
        return try process.waitForExit()
    }

    /// Asks the daemon to end and waits until it did, well.
    func stop() throws {
        self.connection = nil
        guard let process = self.process else { return }
        process.signal(SIGTERM)
        let exit = try process.waitForExit()
        self.process = nil
        while try self.readiness.next(Deadline(afterMilliseconds: 0)) != nil {}
        guard exit == .code(0) else { throw Broken("\(self.name): \(exit)\n\(self.log)") }
    }

    /// One connection to the running daemon, kept.
    func control() throws -> ControlConnection {
        if let connection = self.connection { return connection }
        let connection = try ControlConnection(path: self.socket)
        self.connection = connection
        return connection
    }

    /// Has the next call connect anew.
    func reconnect() { self.connection = nil }

    /// Asks the daemon and waits for the result.
    func call(_ method: String, _ params: JSON = [:]) throws -> JSON {
        do {
            return try self.control().call(method, params)
        } catch {
            throw Broken("\(self.name): \(method): \(error)\n\(self.log)")
        }
    }

    /// The first elements of a list.
    func list(_ method: String) throws -> [JSON] {
        try self.call(method, ["limit": 1_000])["items"]?.arrayValue ?? []
    }

    /// Runs `stoa` against this node and returns what it printed.
    func stoa(_ arguments: String..., expecting code: Int32 = 0) throws -> String {
        try ChildProcess.run(
            ["\(Surroundings.programs())/stoa", "--socket", self.socket] + arguments,
            environment: self.environment, expecting: code)
    }

    /// Runs `stoad` with an option that ends by itself, such as `--check`; gives its exit code, what
    /// it printed and what it logged.
    func stoad(_ option: String) throws -> (exit: ChildProcess.Exit, output: String) {
        precondition(self.process == nil, "the daemon is stopped first")
        let errors = self.folder + "/said"
        try Files.remove(errors)
        let child = try ChildProcess(
            [
                "\(Surroundings.programs())/stoad", option, "--data-dir", self.dataDirectory,
                "--socket", self.socket,
            ], environment: self.environment, errors: errors)
        let output = try child.rest()
        let said = (try? Files.read(errors, limitBytes: 16 << 20)) ?? []
        return (try child.waitForExit(), output + String(decoding: said, as: UTF8.self))
    }

    /// Starts a `stoa` that goes on.
    func startStoa(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            ["\(Surroundings.programs())/stoa", "--socket", self.socket] + arguments,
            environment: self.environment, errors: self.logPath)
    }

    /// `@` and the key of somebody who has a name: strangers are reached by it.
    func key(of name: String) throws -> String {
        "@" + (try self.call("whois", ["person": .string(name)])["id"]?.stringValue ?? "")
    }

    /// Lets this user know somebody who has a name here.
    func know(_ name: String) throws {
        _ = try self.call("addPerson", ["person": .string(try self.key(of: name))])
    }

    func identity() throws -> String { try self.call("status")["id"]?.stringValue ?? "" }

    /// The address to dial, as the daemon says it.
    func address() throws -> String {
        let addresses = try self.call("status")["listen"]?.arrayValue ?? []
        guard let address = addresses.first?.stringValue else {
            throw Broken("\(self.name) listens nowhere:\n\(self.log)")
        }
        return address
    }

    /// Asks again until it is so.
    func await(
        _ what: String, _ deadline: Deadline = .patient, _ holds: (Node) throws -> Bool
    ) throws {
        let control = try self.control()
        while try !holds(self) {
            guard !deadline.hasPassed else {
                throw Broken("\(self.name): not in time: \(what)\n\(self.log)")
            }
            // The pause between two questions; ends early when the daemon says something.
            _ = try control.receive(Deadline(afterMilliseconds: 5))
        }
    }

    /// The identities of the peers with a link: who shares no room may not be known by name.
    func linked() throws -> Set<String> {
        let peers = try self.list("peers")
        return Set(peers.filter { $0["state"] == "linked" }.compactMap { $0["id"]?.stringValue })
    }

    /// Whether these running nodes, and no others, have a link with this one.
    func isLinked(to others: Node...) throws -> Bool {
        try self.linked() == Set(others.map { try $0.identity() })
    }
}
