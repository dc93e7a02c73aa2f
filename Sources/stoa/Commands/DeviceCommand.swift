import ControlAPI
import Posix

/// The command `stoa device`.
struct DeviceCommand: Subcommand {
    static let syntax = CommandSyntax(
        "device", "Be the same person on several machines: link, list, name and revoke devices.",
        examples: [
            "stoa device link @k3v9w2xq", "stoa device approve 12345678", "stoa device list",
            "stoa device rename laptop", "stoa device revoke @k3v9w2xq",
            "stoa device promote stoa.backup", "stoa device demote stoa.backup",
        ],
        operands: [
            "link|approve|list|rename|revoke|promote|demote", "[@DEVICE|CODE|NAME|FILE]", "[NAME]",
        ],
        options: [
            OptionSyntax(
                "--now", nil, "with revoke: do not ask linked members of your groups first"),
            OptionSyntax(
                "--since", "T",
                "with revoke: also undo what the device did in your groups since this time"
            ),
            OptionSyntax("--yes", nil, "do not ask: approve without a backup, revoke, or demote"),
            OptionSyntax(
                "--phrase-file", "FILE|-", "read the phrase from a file instead of asking for it"),
        ],
        details: [
            "\"link\" runs on the new machine, which must not have been used: it shows a code of eight digits. \"approve\" runs on a device of yours and takes the code; it shows four digits, which you type on the new machine. Then that machine is you: it gets your contacts, realms, rooms and conversations. If several peers are linked, name your device by its key: stoa status shows it there.",
            "Your person's key never leaves the machine on which you began, except in a backup: only a device that holds it approves and revokes others.",
            "\"rename\" gives this device a name, or the one whose key is given first; all your devices show it, nobody else does. An empty name removes it.",
            "\"revoke\" says that a device is not yours any more. Peers refuse its links and do not show what it writes afterwards. In your groups, what it does (inviting, removing, links) does not count any more. There, in conversations of two and in your notes it can read nothing that is written by those who know of it. With --since, what it did in groups from then on does not count either. It keeps what it has received, including the secrets of your realms and rooms: renew them (stoa realm rotate).",
            "Before \"revoke\", all linked members of your groups are asked for what they have done there, for at most 10 seconds; members who could not be asked are named. --now skips that.",
            "\"promote\" takes your person's key out of a backup, which its phrase opens, onto this device: it approves and revokes devices then. \"demote\" removes the key from this machine, once it has seen that the backup opens and holds it; the device stays yours. Copies elsewhere, such as an older backup of the whole folder, are not removed.",
            "With --json, \"link\" prints the code as one line and then reads the four digits from standard input.",
        ])
    static let mayTakeLong = true

    private enum Step {
        case link(String?)
        case approve(String?)
        case list
        case rename(String?, String)
        case revoke(String)
        case promote(String)
        case demote(String)
    }

    private let step: Step
    private let phraseFile: String?
    private let isSure: Bool
    private let isNow: Bool
    private let since: Timestamp?

    /// The other device has ten seconds to answer, and what it hands over may be large.
    private static let answerMilliseconds: Int64 = 60_000
    /// More than any digits that somebody types.
    private static let lineBytes = 256

    init(_ arguments: ParsedArguments) throws(Failure) {
        let (word, operand) = (arguments.required(0), arguments.operand(1))
        self.isSure = arguments.has("--yes")
        self.isNow = arguments.has("--now")
        self.since = try LocalTime.option("--since", of: arguments)
        self.phraseFile = arguments.value("--phrase-file")
        switch word {
        case "link": self.step = .link(operand)
        case "approve": self.step = .approve(operand)
        case "list": self.step = .list
        case "rename":
            guard let operand else {
                throw .usage(
                    "the name is missing", next: "usage: stoa device rename [@KEY] NAME")
            }
            self.step =
                arguments.operand(2).map { .rename(operand, $0) } ?? .rename(nil, operand)
        case "revoke":
            guard let operand else {
                throw .usage(
                    "the device is missing",
                    next: "usage: stoa device revoke @KEY; see stoa device list")
            }
            self.step = .revoke(operand)
        case "promote", "demote":
            guard let operand else {
                throw .usage("the backup is missing", next: "usage: stoa device \(word) FILE")
            }
            self.step = word == "promote" ? .promote(operand) : .demote(operand)
        default:
            let words = ["link", "approve", "list", "rename", "revoke", "promote", "demote"]
            throw .usage(
                "\"\(TerminalText.line(word))\" is not something to do with devices",
                next: NearestName.find(word, among: words).map { "did you mean \"\($0)\"?" }
                    ?? "use one of \(words.joined(separator: ", "))")
        }
        guard word == "rename" || arguments.operand(2) == nil else {
            throw .usage(
                "\"\(word)\" does not take two words",
                next: "see what it takes: stoa help device")
        }
        guard !self.isSure || ["approve", "revoke", "demote"].contains(word) else {
            throw .usage(
                "\"\(word)\" does not take --yes", next: "it belongs to approve, revoke and demote"
            )
        }
        for option in ["--now", "--since"] where arguments.has(option) && word != "revoke" {
            throw .usage("\"\(word)\" does not take \(option)", next: "it belongs to revoke")
        }
        guard self.phraseFile == nil || ["promote", "demote"].contains(word) else {
            throw .usage(
                "\"\(word)\" does not take --phrase-file", next: "it belongs to promote and demote")
        }
    }

    func run(in context: CommandContext) throws(Failure) {
        switch self.step {
        case .link(let person): try Self.link(person, context)
        case .approve(let code?): try self.approve(code, context)
        case .approve(nil): try self.approve(try Self.askCode(context), context)
        case .list: try Self.list(context)
        case .rename(let device, let name):
            try context.show(
                DeviceRenameMethod.self, .init { ($0.device, $0.name) = (device, name) }
            ) {
                "\($0.id.shortKey) "
                    + ($0.name.map { "is called \($0.shown) on all your devices\n" }
                        ?? "has no name any more\n")
            }
        case .revoke(let device): try self.revoke(device, context)
        case .promote(let file):
            try context.show(DevicePromoteMethod.self, try self.backup(file, context)) { _ in
                "this device holds your person's key now: it can approve and revoke devices\n"
            }
        case .demote(let file): try self.demote(file, context)
        }
    }

    // MARK: The new device

    private static func link(_ person: String?, _ context: CommandContext) throws(Failure) {
        let shown = try context.call(
            DeviceLinkMethod.self, .init { $0.person = person },
            daemonMilliseconds: Self.answerMilliseconds)
        guard let code = shown.code else {
            throw Failure(
                .internalError, why: "the daemon made no code", next: "restart it, and try again")
        }
        if context.json {
            try context.console.print(shown.json)
        } else {
            try context.console.print(
                "\n  on your other device    stoa device approve \(code.shown)\n\n")
        }
        try context.console.flush()
        context.disconnect()
        let done = try Self.confirm(context)
        let status = try context.statusOfNewStart(of: done.content?.person ?? "")
        if context.json { return try context.console.print(done.json) }
        let content = done.content ?? BackupContent()
        try context.console.print(
            "this machine is now a device of \(content.name.shown): \(status.id.shortKey); it got "
                + "\(content.counts)\nmessages come from your other device and from peers that have them\n"
        )
    }

    /// Asks for the digits that the other device shows until they are right, on a terminal.
    private static func confirm(
        _ context: CommandContext
    ) throws(Failure) -> Received<DeviceLinkMethod.Result> {
        while true {
            if !context.json { context.console.report("the four digits that it shows then: ") }
            let check = try Self.line(context)
            guard !check.isEmpty else {
                throw Failure(
                    .badData, why: "no digits were given; nothing has changed",
                    next: "begin again: stoa device link")
            }
            do throws(Failure) {
                return try context.call(
                    DeviceLinkMethod.self, .init { $0.check = check },
                    daemonMilliseconds: Self.answerMilliseconds)
            } catch {
                guard error.answer?.reason == "wrongDigits", context.console.inputIsTerminal,
                    !error.next.contains("ended")
                else { throw error }
                context.console.report("\(error.why); \(error.next)\n")
            }
        }
    }

    private static func line(_ context: CommandContext) throws(Failure) -> String {
        var bytes: [UInt8] = []
        while !bytes.contains(0x0A), bytes.count < Self.lineBytes,
            let chunk = try context.console.readChunk()
        {
            bytes += chunk
        }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .joined()
    }

    // MARK: The old device

    private static func askCode(_ context: CommandContext) throws(Failure) -> String {
        guard !context.console.inputIsTerminal else {
            context.console.report("the code that the new device shows: ")
            return try Self.line(context)
        }
        do throws(Failure) {
            let bytes = try context.console.readInput(limit: Self.lineBytes)
            return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                .joined()
        } catch {
            var failure = error
            if error.isInterrupt { failure.next = "nothing was approved" }
            throw failure
        }
    }

    private func approve(_ code: String, _ context: CommandContext) throws(Failure) {
        var params = DeviceApproveMethod.Params { $0.code = code }
        // A script has nobody to ask.
        if self.isSure || !context.console.inputIsTerminal { params.withoutBackup = true }
        do throws(Failure) {
            return try Self.approve(params, context)
        } catch {
            guard error.answer?.reason == "noBackup" else { throw error }
            context.console.report("\(error.why)\ntype yes to go on without a backup: ")
            guard try context.console.readYes() else {
                return context.console.report(
                    "nothing was approved; make a backup first: stoa backup FILE\n")
            }
        }
        params.withoutBackup = true
        try Self.approve(params, context)
    }

    private static func approve(
        _ params: DeviceApproveMethod.Params, _ context: CommandContext
    ) throws(Failure) {
        try context.show(DeviceApproveMethod.self, params) {
            "\n  type there    \($0.check.shown)\n\n"
        }
    }

    private static func list(_ context: CommandContext) throws(Failure) {
        try context.showList(
            DevicesMethod.self, empty: "there is no device",
            heading: ["DEVICE", "NAME", "STATE", "LAST SEEN", "APPROVES"]
        ) { device in
            [
                device.id.shortKey,
                device.name?.shown ?? "-",
                device.revoked.map { "revoked \(LocalTime.text($0))" }
                    ?? (device.here ? "this one" : device.linked ? "linked" : "away"),
                device.lastSeen.map { LocalTime.text($0) } ?? "-",
                device.approves.map { $0 ? "yes" : "no" } ?? "-",
            ]
        }
    }

    private func revoke(_ device: String, _ context: CommandContext) throws(Failure) {
        let what =
            "\(TerminalText.line(device)) would not be you any more: peers refuse its links and do not show "
            + "what it writes, and nothing that it does in your groups counts"
            + (self.since.map {
                ", nor anything that it did there since \(LocalTime.text($0))"
            } ?? "") + "; it keeps everything that it has received"
        if !self.isSure {
            guard
                try context.console.agrees(to: what, next: "add --yes to revoke it", rest: nil)
            else { return context.console.report("stoa: device: nothing was revoked\n") }
        }
        let params = DeviceRevokeMethod.Params {
            $0.device = device
            $0.now = self.isNow ? true : nil
            $0.since = self.since
        }
        let done = try context.show(DeviceRevokeMethod.self, params) {
            "\($0.id.shortKey) is not your device any more\n"
                + "it still knows the secrets of your realms: stoa realm rotate NAME\n"
        }
        if let names = done.unasked, !context.json {
            context.console.report(GroupCommand.unasked(names))
        }
    }

    // MARK: The person's key

    private func demote(_ file: String, _ context: CommandContext) throws(Failure) {
        let (shown, path) = (TerminalText.line(file), try context.existingBackup(file))
        let what =
            "this machine could neither approve nor revoke devices any more: your person's key would be "
            + "only in \(shown) and on other devices that hold it"
        if !self.isSure {
            guard
                try context.console.agrees(to: what, next: "add --yes to remove it", rest: nil)
            else { return context.console.report("stoa: device: nothing was removed\n") }
        }
        try context.show(DeviceDemoteMethod.self, try self.backup(path, context)) { _ in
            "this machine does not hold your person's key any more\n"
                + "keep \(shown) elsewhere, apart from its phrase: stoa device promote brings the key back\n"
        }
    }

    /// A backup, and the phrase that is asked for.
    private func backup(
        _ file: String, _ context: CommandContext
    ) throws(Failure) -> RestoreMethod.Params {
        let path = try context.existingBackup(file)
        let phrase = try SecretInput.phrase.read(
            self.phraseFile, context, ifEnded: "nothing has changed")
        return RestoreMethod.Params {
            $0.file = path
            $0.phrase = phrase
        }
    }
}
