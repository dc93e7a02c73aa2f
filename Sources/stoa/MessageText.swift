import ControlAPI

/// The text of a message as a command takes it: words, or standard input.
enum MessageText {
    /// The words with spaces between, or standard input where the only word is `-`, or there is none
    /// and the input is no terminal.
    static func read(_ words: [String], _ console: Console) throws(Failure) -> String {
        let text: String
        if words == ["-"] || words.isEmpty && !console.inputIsTerminal {
            text = try Self.inputText(console)
        } else if words.isEmpty {
            throw .usage(
                "there is no text",
                next: "give it as arguments, or give - to type it and end with Ctrl-D")
        } else {
            text = words.joined(separator: " ")
        }
        guard !TerminalText.isBlank(text) else {
            throw Failure(
                .badData, why: "the text is empty", next: "give at least one visible character"
            )
        }
        guard text.utf8.count <= ControlLimits.textBytes else {
            throw Self.tooLong("has \(text.utf8.count)")
        }
        return text
    }

    private static func inputText(_ console: Console) throws(Failure) -> String {
        // Room for the newline that is dropped, be it one byte or two.
        var bytes = try console.readInput(limit: ControlLimits.textBytes + 2)
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard bytes.count <= ControlLimits.textBytes else {
            throw Self.tooLong("on standard input has more than \(ControlLimits.textBytes)")
        }
        return self.repaired(bytes)
    }

    /// What a program has written, as text: each sequence of bytes that is not UTF-8 becomes U+FFFD.
    ///
    /// All that becomes a message goes through this: nothing is left out because of a wrong byte.
    static func repaired(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func tooLong(_ what: String) -> Failure {
        Failure(
            .badData,
            why: "the text \(what) bytes; a message holds at most \(ControlLimits.textBytes)",
            next: "send it in parts, or as a file: stoa send TO --file FILE")
    }
}
