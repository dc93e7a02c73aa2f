import ControlAPI
import Posix

/// What a running command works with: the console, the options and the way to the daemon.
final class Session {
    let console: Console
    let options: GlobalOptions
    private let environment: [String: String]
    private var connected: Client?

    init(console: Console, options: GlobalOptions, environment: [String: String]) {
        self.console = console
        self.options = options
        self.environment = environment
    }

    /// Whether output is for programs.
    var json: Bool { self.options.json }

    /// Where the daemon's socket is: the option, then `STOA_SOCKET`, then the runtime directory.
    func socketPath() throws(Failure) -> String {
        if let path = self.options.socket { return path }
        if let path = self.environment["STOA_SOCKET"], !path.isEmpty { return path }
        do {
            return try Paths(environment: self.environment, userID: ProcessEnvironment.userID)
                .controlSocket()
        } catch {
            throw Failure(
                .noDaemon, why: "the daemon's socket cannot be found",
                next: "set XDG_RUNTIME_DIR, or name the socket with --socket or STOA_SOCKET")
        }
    }

    /// The connection, made at the first use.
    func client() throws(Failure) -> Client {
        if let connected = self.connected { return connected }
        return try self.reconnect()
    }

    /// A new connection in place of the old.
    func reconnect() throws(Failure) -> Client {
        let client = try Client(path: try self.socketPath())
        self.connected = client
        return client
    }

    /// Asks the daemon and waits for its answer.
    func call(_ method: String, _ params: RPCParams = .absent) throws(Failure) -> JSON {
        let client = try self.client()
        do {
            return try client.call(method, params)
        } catch {
            throw Failure(error)
        }
    }

    /// Asks, then prints the answer: as it came for programs, else as `human` says.
    func show(
        _ method: String, _ params: RPCParams = .absent,
        human: (JSON) throws(Failure) -> String
    ) throws(Failure) {
        let result = try self.call(method, params)
        if self.json {
            try self.console.print(result)
        } else {
            try self.console.print(try human(result))
        }
    }

    /// Asks, then prints a list: one element per line for programs, else a table.
    func showList(
        _ method: String, empty: String, heading: [String], row: (JSON) -> [String]
    ) throws(Failure) {
        let list = try self.call(method).arrayValue ?? []
        if self.json {
            for element in list { try self.console.print(element) }
        } else if list.isEmpty {
            try self.console.print(empty + "\n")
        } else {
            try self.console.print(Table.text([heading] + list.map(row)))
        }
    }
}

extension JSON {
    /// A member's string, safe to print on one line; empty when there is none.
    func shown(_ name: String) -> String { TerminalText.line(self[name]?.stringValue ?? "") }

    /// A member's integer; zero when there is none.
    func count(_ name: String) -> Int64 { self[name]?.integerValue ?? 0 }

    /// A member's identity in the short form that commands take: `@` and 12 characters.
    func shortKey(_ name: String = "id") -> String { "@" + self.shown(name).prefix(12) }
}
