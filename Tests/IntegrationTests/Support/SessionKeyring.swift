import Formats
import Posix

/// A bus of its own, on which anybody may have any name, and which starts nobody.
final class PrivateBus {
    private let process: ChildProcess
    let address: String

    init(in folder: String) throws {
        let configuration = folder + "/bus.conf"
        let text =
            "<busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen>"
            + "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
            + "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy>"
            + "</busconfig>"
        try Files.writeAtomically(Array(text.utf8), to: configuration)
        self.process = try ChildProcess(
            ["dbus-daemon", "--config-file=\(configuration)", "--nofork", "--print-address=1"])
        guard let address = try self.process.nextLine() else { throw Broken("no bus") }
        self.address = address
    }
}

/// A bus of a session of its own, and the keyring of a desktop on it, with files of its own.
final class SessionKeyring {
    private static let password = "sesame"

    private let folder: String
    private let bus: PrivateBus
    private var keyring: ChildProcess?

    /// Starts the bus; nobody offers a keyring there yet, and the bus starts nobody who would.
    init(in scratch: Scratch) throws {
        self.folder = try scratch.folder("session")
        self.bus = try PrivateBus(in: self.folder)
    }

    /// What a program of this session has in its environment.
    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": self.bus.address] }

    /// Starts the keyring, with what an earlier one has kept, and waits until it answers.
    func start(isUnlocked: Bool = true) throws {
        let arguments = "gnome-keyring-daemon --foreground --components=secrets"
        self.keyring = try ChildProcess(
            [
                "bash", "-c",
                isUnlocked
                    ? "exec \(arguments) --unlock <<< \(Self.password)"
                    : "exec \(arguments) --start",
            ], environment: self.variables)
        let deadline = Deadline.patient
        while try !self.answers() {
            guard !deadline.hasPassed else { throw Broken("no keyring in time") }
        }
    }

    private var variables: [String: String] {
        ProcessEnvironment.variables().merging([
            "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, "XDG_DATA_HOME": self.folder,
            "DBUS_SESSION_BUS_ADDRESS": self.bus.address,
        ]) { $1 }
    }

    /// Whether the keyring knows its default one, which it does once it has read its files.
    private func answers() throws -> Bool {
        let asked = try ChildProcess(
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets",
                "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.ReadAlias",
                "string:default",
            ], environment: self.variables)
        return try asked.rest().contains("/collection/")
    }

    /// Ends the keyring, which is locked with that.
    func stop() throws {
        try self.keyring?.kill()
        self.keyring = nil
    }

    /// What the item of a slot has; nil where there is none.
    func item(of slot: String) throws -> String? {
        let found = try ChildProcess(
            ["secret-tool", "lookup", "application", "stoa", "slot", slot],
            environment: self.variables)
        let text = try found.rest()
        return try found.waitForExit() == .code(0) ? text : nil
    }

    /// Puts something else into an item, or removes it.
    func change(_ slot: String, to text: String?) throws {
        let item = "application stoa slot \(slot)"
        _ = try ChildProcess.run(
            [
                "bash", "-ec",
                "secret-tool clear \(item) || true"
                    + (text.map { "; printf %s \($0) | secret-tool store --label=x \(item)" } ?? ""),
            ], environment: self.variables)
    }
}

extension Node {
    /// The slot of the desktop's keyring in the file of the safe key; nil where it has none.
    func keyringSlot() throws -> KeyringSlot? {
        try Self.keyringSlot(in: Files.read("\(self.dataDirectory)/safe.key", limitBytes: 1_000))
    }

    static func keyringSlot(in file: [UInt8]) throws -> KeyringSlot? {
        guard case .locked(let locked) = try StoredSafe(decoding: file) else { return nil }
        return locked.keyring
    }
}
