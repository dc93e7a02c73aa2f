import ControlAPI
import ControlClient
import Posix

/// What a running command works with: the console, the options and the way to the daemon.
final class CommandContext {
    let console: Console
    let options: GlobalOptions
    let environment: [String: String]
    /// How the process ends where the command is done: some hand on what another program said.
    var status = ExitCode.done.rawValue
    private var connected: DaemonConnection?
    /// Whether there was a daemon that could be asked.
    private var wasConnected = false
    /// The id of what was changed last; empty where it has none, nil where nothing was.
    private(set) var changed: String?
    /// Whose key the user has said to mean by which name, where only strangers have it.
    private var meant: [String: String] = [:]

    /// What an answer may take longer than what the daemon was told to wait, in milliseconds.
    private static let graceMilliseconds = 500
    /// How long a daemon is looked for that has gone, in milliseconds.
    static let patienceMilliseconds: UInt64 = 60_000
    private static let retryMilliseconds: Int32 = 200
    /// What lasted so long was of use, in milliseconds: from then on a daemon is looked for anew.
    private static let usefulMilliseconds: UInt64 = 5_000
    /// How long a command that is to end asks what has become of its message, in milliseconds.
    static let lastWordMilliseconds = 1_000
    /// How long a daemon may take to begin anew, in milliseconds.
    private static let startMilliseconds = 15_000

    init(console: Console, options: GlobalOptions, environment: [String: String]) {
        self.console = console
        self.options = options
        self.environment = environment
    }

    /// Whether output is for programs.
    var json: Bool { self.options.json }

    /// Where the daemon's socket is: the option, then `STOA_SOCKET`, then the runtime directory.
    func socketPath() throws(Failure) -> String {
        guard self.options.socket != "" else {
            throw .usage(
                "--socket is empty", next: "name the daemon's socket, or leave --socket out")
        }
        let path = SocketPath.find(
            chosen: self.options.socket, environment: self.environment,
            userID: ProcessEnvironment.userID)
        guard let path else {
            throw Failure(
                .noDaemon, why: "cannot tell where the daemon's socket is",
                next: "set XDG_RUNTIME_DIR, or name the socket with --socket or STOA_SOCKET")
        }
        return path
    }

    /// Asks the daemon and waits for its answer, at most `--timeout`.
    ///
    /// Where the daemon itself waits for something, its time comes first. Where a name is only a stranger's,
    /// a person at a terminal is asked whether they mean that key.
    func call<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params = .init(), daemonMilliseconds: Int64? = nil,
        passing descriptor: Int32? = nil
    ) throws(Failure) -> Received<Method.Result> where Method.Result: ControlValue {
        var params = params
        for (name, key) in self.meant { _ = params.replace(name, by: key) }
        do throws(Failure) {
            return try self.ask(method, params, daemonMilliseconds, passing: descriptor)
        } catch {
            guard let name = error.answer?.name,
                let key = try self.strangerMeant(by: error), params.replace(name, by: key)
            else { throw error }
            self.meant[name] = key
            return try self.ask(method, params, daemonMilliseconds, passing: descriptor)
        }
    }

    /// The only stranger of a name, as `@` and the key, where a person at a terminal says that they are meant.
    private func strangerMeant(by failure: Failure) throws(Failure) -> String? {
        let candidates = failure.answer?.candidates ?? []
        guard failure.answer?.reason == "stranger", candidates.count == 1, !self.json,
            self.console.inputIsTerminal, self.console.errorsAreTerminal
        else { return nil }
        let key = "@" + candidates[0].id.shown
        self.console.report(
            "\(ShownPerson.safe(candidates[0].name)) is not a contact of yours, and anyone can take a name. Their key is\n"
                + "  \(key)\nIs that who you mean? Type yes if so: ")
        return try self.console.readYes() ? key : nil
    }

    private func ask<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params, _ daemonMilliseconds: Int64?,
        passing descriptor: Int32?
    ) throws(Failure) -> Received<Method.Result> where Method.Result: ControlValue {
        var limit = self.options.timeoutMilliseconds
        if limit != nil, let daemonMilliseconds {
            limit = Int(daemonMilliseconds) + Self.graceMilliseconds
        }
        let path = try self.socketPath()
        return try Failure.of { () throws(ClientError) in
            let connection: DaemonConnection
            if let connected = self.connected {
                connection = connected
            } else {
                connection = try DaemonConnection(path: path, answerMilliseconds: limit)
            }
            self.connected = connection
            self.wasConnected = true
            connection.answerMilliseconds = limit
            let result = try connection.call(method, params, passing: descriptor)
            if Method.description.isChange { self.noteChange(result.changedID.shown) }
            return result
        }
    }

    /// Does what may be done twice, and does it again where the daemon goes away meanwhile, as over a restart;
    /// it is looked for as long as `stoa` looks for one that has gone.
    func throughRestarts<Value>(
        of command: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var deadline: UInt64?
        while true {
            let began = SystemClock.monotonicMilliseconds()
            do throws(Failure) { return try body() } catch {
                guard error.isLoss, self.wasConnected else { throw error }
                let now = SystemClock.monotonicMilliseconds()
                if now >= began + Self.usefulMilliseconds { deadline = nil }
                if deadline == nil {
                    self.console.report("stoa: \(command): \(error.why); connecting again\n")
                }
                let end = deadline ?? now + Self.patienceMilliseconds
                deadline = end
                guard now < end else { throw error }
                self.disconnect()
                do throws(Failure) {
                    try PollWait.pause(milliseconds: Self.retryMilliseconds)
                } catch {
                    var failure = error
                    failure.isUncertain = true
                    throw failure
                }
            }
        }
    }

    /// What becomes of a message of which a signal has kept the answer from coming: asked under its key, which
    /// sends nothing twice; nil where the daemon does not say so within a second.
    func outcome(of params: SendMethod.Params) -> Received<SendMethod.Result>? {
        guard let connection = self.connected else { return nil }
        var params = params
        for (name, key) in self.meant { _ = params.replace(name, by: key) }
        connection.answerMilliseconds = Self.lastWordMilliseconds
        return try? connection.call(SendMethod.self, params)
    }

    /// Something was changed: the command has done its work, whether or not that can be printed.
    func noteChange(_ id: String = "") {
        self.changed = id
        self.console.isReport = true
    }

    /// Says on standard error what was done where standard output has not taken the report.
    func warnOfLostReport(of command: String) {
        guard let id = self.changed, let lost = self.console.unreported else { return }
        let what = id.isEmpty ? "it is done" : "it is done, its id is \(id)"
        self.console.report("stoa: \(command): warning: \(what); but \(lost.why)\n")
    }

    /// Begins the conversation with a person, where somebody is named who has not written yet.
    func begin(with name: String) throws(Failure) {
        guard name.hasPrefix("@") else { return }
        _ = try self.call(
            CreateConversationMethod.self, CreateConversationMethod.Params { $0.person = name })
    }

    /// Forgets the connection: the next call makes another.
    func disconnect() { self.connected = nil }

    /// A path as the daemon understands it, which runs in another folder.
    func wholePath(_ path: String) throws(Failure) -> String {
        guard !path.hasPrefix("/") else { return path }
        do throws(SystemError) {
            return "\(try ProcessEnvironment.currentDirectory())/\(path)"
        } catch {
            throw Failure(
                .usage, why: "cannot tell which folder you are in: \(error.reason)",
                next: "give the full path, starting with /")
        }
    }

    /// Waits for a daemon that begins anew, and gives its status once it is that of a person.
    func statusOfNewStart(
        of person: String
    ) throws(Failure) -> Received<StatusMethod.Result> {
        let path = try self.socketPath()
        let deadline = SystemClock.monotonicMilliseconds() + UInt64(Self.startMilliseconds)
        while SystemClock.monotonicMilliseconds() < deadline {
            do throws(ClientError) {
                let connection = try DaemonConnection(
                    path: path, patienceMilliseconds: Self.startMilliseconds,
                    answerMilliseconds: Self.startMilliseconds)
                let status = try connection.call(StatusMethod.self, .init())
                if status.person == person { return status }
            } catch {
                guard error.isPassing else { throw Failure(error) }
            }
            try PollWait.pause(milliseconds: Int32(Self.graceMilliseconds / 10))
        }
        throw Failure(
            .noDaemon, why: "the backup was accepted, but the daemon has not come back",
            next: "see its log (journalctl --user -u stoad), then start it: it goes on restoring")
    }

    /// Asks, then prints the answer: as it came for programs, else as `human` says.
    @discardableResult
    func show<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params = .init(), daemonMilliseconds: Int64? = nil,
        passing descriptor: Int32? = nil,
        human: (Method.Result) throws(Failure) -> String
    ) throws(Failure) -> Received<Method.Result> where Method.Result: ControlValue {
        let result = try self.call(
            method, params, daemonMilliseconds: daemonMilliseconds, passing: descriptor)
        try self.show(result, human: human)
        return result
    }

    /// Prints an answer: as it came for programs, else as `human` says.
    func show<Value>(
        _ result: Received<Value>, human: (Value) throws(Failure) -> String
    ) throws(Failure) {
        if self.json {
            try self.console.print(result.json)
        } else {
            try self.console.print(try human(result.value))
        }
    }

    /// Asks for a list page by page, and gives each page to `body`: one is held at a time.
    ///
    /// - Parameters:
    ///   - params: makes the parameters for a page.
    ///   - noting: sees each page with all that is beside its elements.
    func forEachPage<Method: ControlMethod>(
        of method: Method.Type, _ params: (PageParams) -> Method.Params,
        noting: (Method.Result) -> Void = { _ in },
        _ body: ([Received<Method.Result.Element>]) throws(Failure) -> Void
    ) throws(Failure) where Method.Result: ListResult {
        var page = PageParams { $0.limit = Int64(ControlLimits.pageItems) }
        while true {
            let result = try self.call(method, params(page))
            noting(result.value)
            try body(result.items)
            guard let next = result.next else { return }
            // Who gives the same place again would be asked without end.
            guard next != page.after else {
                throw Failure(.garbled("the same page of \(Method.description.name) came again"))
            }
            page.after = next
        }
    }

    /// Asks for a list page by page, and gives each element to `body`.
    func forEach<Method: ControlMethod>(
        _ method: Method.Type, _ body: (Received<Method.Result.Element>) throws(Failure) -> Void
    ) throws(Failure) where Method.Params == PageParams, Method.Result: ListResult {
        try self.forEachPage(of: method, { $0 }) { (page) throws(Failure) in
            for element in page { try body(element) }
        }
    }

    /// The same of a list that the daemon shows to its user alone: who is in the group of its socket goes on
    /// without it.
    func forEachOfOwn<Method: ControlMethod>(
        _ method: Method.Type, _ body: (Received<Method.Result.Element>) throws(Failure) -> Void
    ) throws(Failure) where Method.Params == PageParams, Method.Result: ListResult {
        do throws(Failure) {
            try self.forEach(method, body)
        } catch {
            guard error.answer?.reason == "ownerOnly" else { throw error }
        }
    }

    /// The devices of all whom the user knows, and the own one; nil where the user knows nobody.
    func knownDevices() throws(Failure) -> Set<String>? {
        var known: Set<String> = []
        try self.forEachOfOwn(PeopleMethod.self) { (person) throws(Failure) in
            if person.tier == .known || person.tier == .verified { known.insert(person.id) }
        }
        guard !known.isEmpty else { return nil }
        known.insert(try self.call(StatusMethod.self).id)
        return known
    }

    /// Asks for a list and prints it: one element per line for programs, else a table.
    func showList<Method: ControlMethod>(
        _ method: Method.Type, _ params: (PageParams) -> Method.Params, empty: String,
        heading: [String], where isShown: (Method.Result.Element) -> Bool = { _ in true },
        noting: (Method.Result) -> Void = { _ in }, row: (Method.Result.Element) -> [String]
    ) throws(Failure) where Method.Result: ListResult {
        var table = TextTable(heading: heading, columns: self.console.tableColumns)
        try self.forEachPage(of: method, params, noting: noting) { (whole) throws(Failure) in
            let page = whole.filter { isShown($0.value) }
            if self.json {
                for element in page { try self.console.print(element.json) }
            } else {
                try self.console.print(table.add(page.map { row($0.value) }))
            }
        }
        if !self.json, table.isEmpty { try self.console.print(empty + "\n") }
    }

    /// Asks for a list and prints it: one element per line for programs, else a table.
    func showList<Method: ControlMethod>(
        _ method: Method.Type, empty: String, heading: [String],
        where isShown: (Method.Result.Element) -> Bool = { _ in true },
        row: (Method.Result.Element) -> [String]
    ) throws(Failure) where Method.Params == PageParams, Method.Result: ListResult {
        try self.showList(
            method, { $0 }, empty: empty, heading: heading, where: isShown, row: row)
    }

    /// Tells the daemon that the user has read these messages of one conversation.
    ///
    /// What was shown stays shown when the daemon refuses, as for a room that was left.
    func markRead(_ messages: [MessageResult]) throws(Failure) {
        guard let params = AcknowledgeMethod.Params(reading: messages) else { return }
        do {
            _ = try self.call(AcknowledgeMethod.self, params)
        } catch {
            guard error.answer != nil else { throw error }
        }
    }
}

extension AcknowledgeMethod.Params {
    /// The newest of messages of one conversation is read; nil where there is none.
    init?(reading messages: [MessageResult]) {
        guard let newest = messages.max(by: { $0.cursor < $1.cursor }),
            !newest.conversation.isEmpty
        else { return nil }
        self.init()
        self.conversation = newest.conversation
        self.cursor = newest.cursor
    }
}

extension ControlValue {
    /// Puts a key in the place of a name, wherever the name is a parameter by itself; says whether it was.
    fileprivate mutating func replace(_ name: String, by key: String) -> Bool {
        var visitor = NameReplacement(name: name, key: key)
        self.fields(&visitor)
        return visitor.isDone
    }
}

/// Goes through parameters and puts a key in the place of a name.
private struct NameReplacement: FieldVisitor {
    let name: String
    let key: String
    var isDone = false

    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString
    ) {
        guard ["to", "person"].contains("\(name)") else { return }
        if value as? String == self.name, let key = self.key as? Value {
            value = key
            self.isDone = true
        } else if value as? String? == self.name, let key = String?(self.key) as? Value {
            value = key
            self.isDone = true
        }
    }
}
