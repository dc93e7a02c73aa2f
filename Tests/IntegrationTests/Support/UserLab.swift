import Glibc
import Posix

/// Users with real service managers, of Tests/System/Labs/users.sh; ends with this value or the process.
final class UserLab {
    private let process: ChildProcess
    private let number: String

    init(users: [Int]) throws {
        let errors = "/tmp/stoa-lab-\(ProcessEnvironment.processID).log"
        defer { unlink(errors) }
        self.process = try ChildProcess(
            [Self.script] + users.map(String.init), errors: errors, wantsInput: true)
        var number: String?
        var isReady = false
        while !isReady, let line = try self.process.nextLine() {
            if line.hasPrefix("lab ") { number = String(line.dropFirst(4)) }
            isReady = line == "ready"
        }
        guard isReady, let number else {
            let said = (try? Files.read(errors, limitBytes: 65_536)) ?? []
            throw Broken("the lab did not come up: \(String(decoding: said, as: UTF8.self))")
        }
        self.number = number
    }

    deinit {
        self.process.finishInput()
        _ = try? self.process.waitForExit()
    }

    private static var script: String { "\(Surroundings.project)/Tests/System/Labs/users.sh" }

    /// Runs a command in the lab as root and returns what it printed.
    @discardableResult
    func run(_ arguments: [String], expecting code: Int32 = 0) throws -> String {
        try ChildProcess.run(
            ["nsenter", "-t", self.number, "-m", "-n", "-u", "-p", "--"] + arguments,
            expecting: code)
    }

    /// Runs a command as a user and returns what it printed.
    @discardableResult
    func run(_ user: Int, _ arguments: String..., expecting code: Int32 = 0) throws -> String {
        try self.run(["bash", Self.script, "as", "\(user)"] + arguments, expecting: code)
    }

    /// A user's home, inside the lab.
    func home(of user: Int) throws -> String {
        String(try self.run(user, "printenv", "HOME").dropLast())
    }

    /// One property of a unit of a user's manager.
    func property(_ user: Int, _ unit: String, _ name: String) throws -> String {
        let shown = try self.run(user, "systemctl", "--user", "show", "-P", name, unit)
        return shown.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Asks again until it is so.
    func await(_ what: String, _ deadline: Deadline, _ holds: () throws -> Bool) throws {
        while try !holds() {
            guard !deadline.hasPassed else { throw Broken("not in time: \(what)") }
        }
    }
}
