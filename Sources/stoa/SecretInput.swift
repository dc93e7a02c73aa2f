import ControlAPI
import Posix

/// A secret that a person hands over: from a file, from standard input, or typed without being shown;
/// never as an argument, which everybody on the machine could see.
struct SecretInput {
    /// What it is called.
    let name: String
    /// Which one to give.
    let which: String
    /// The longest, in bytes.
    let limit: Int
    /// The invitations of which one is looked for in what is given; nil where all of it counts.
    var invitation: [PastedInvitation.Kind]?

    static let realmInvitation = SecretInput(
        name: "invitation", which: "the whole line that stoa realm invite printed",
        limit: ControlLimits.pasteBytes, invitation: [.realm])
    static let roomInvitation = SecretInput(
        name: "invitation", which: "the whole line that stoa invite or stoa group link printed",
        limit: ControlLimits.pasteBytes, invitation: [.room, .group])
    /// A phrase that is to be used from here on.
    static let newPhrase = SecretInput(
        name: "new phrase", which: "six or more unrelated words",
        limit: ControlLimits.phraseBytes)
    /// A passphrase of a lock that is to be used from here on.
    static let newPassphrase = SecretInput(
        name: "new passphrase", which: "six or more unrelated words",
        limit: ControlLimits.phraseBytes)
    /// The passphrase of a lock.
    static let passphrase = SecretInput(
        name: "passphrase", which: "the passphrase of the lock",
        limit: ControlLimits.phraseBytes)
    /// The phrase of a room or a backup.
    static let phrase = SecretInput(
        name: "phrase", which: "the words of the phrase", limit: ControlLimits.phraseBytes)

    /// Reads one line; who ends the command meanwhile is told what has become of it.
    func read(
        _ source: String?, _ context: CommandContext, ifEnded next: String
    ) throws(Failure) -> String {
        do throws(Failure) { return try self.read(source, context) } catch {
            var failure = error
            if error.isInterrupt { failure.next = next }
            throw failure
        }
    }

    /// Reads one line.
    ///
    /// - Parameter source: a file's path, `-` for standard input, nil to ask a person for it.
    func read(_ source: String?, _ context: CommandContext) throws(Failure) -> String {
        let bytes: [UInt8]
        if let source, source != "-" {
            do throws(SystemError) {
                bytes = try Files.read(source, limitBytes: self.limit + 2)
            } catch {
                throw Failure(
                    .usage, why: "the \(self.name) cannot be read: \(error.reason)",
                    next: error.remedy ?? "name the file that holds it, or - for standard input")
            }
        } else if source == nil, context.console.inputIsTerminal {
            bytes = try self.ask(context)
        } else {
            bytes = try context.console.readInput(limit: self.limit + 2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .badData, why: "the \(self.name) is not text", next: "give \(self.which)")
        }
        let line = text.unicodeScalars.split { $0.properties.isWhitespace }.map(String.init)
            .joined(separator: " ")
        guard !line.isEmpty, line.utf8.count <= self.limit else {
            throw Failure(
                .badData,
                why: line.isEmpty
                    ? "there is no \(self.name)" : "the \(self.name) is too long",
                next: "give \(self.which), and nothing else")
        }
        guard let invitation else { return line }
        return try Self.find(invitation, in: line)
    }

    /// The invitation in what was pasted or given as an argument.
    static func find(
        _ kinds: [PastedInvitation.Kind], in text: String
    ) throws(Failure) -> String {
        do throws(PastedInvitation.Several) {
            return try PastedInvitation.find(kinds, in: text)
        } catch { throw Failure(.badData, why: error.text, next: error.remedy) }
    }

    private func ask(_ context: CommandContext) throws(Failure) -> [UInt8] {
        context.console.report("\(self.name) (not shown): ")
        let isHidden = TerminalMode.hideInput()
        defer {
            if isHidden { TerminalMode.restore() }
            context.console.report("\n")
        }
        var bytes: [UInt8] = []
        while !bytes.contains(0x0A), bytes.count <= self.limit,
            let chunk = try context.console.readChunk()
        {
            bytes += chunk
        }
        return bytes
    }
}
