/// Where things of the page's program are, beside the daemon's socket.
package enum WebSocketPath {
    /// The socket on which `stoa web` asks for a page.
    package static func openSocket(besides control: String) -> String {
        let folder = control.lastIndex(of: "/").map { String(control[..<$0]) } ?? "."
        return "\(folder)/web.sock"
    }
}

/// What the page does in a conversation as soon as it is open.
package enum PageCallWord: Equatable, Sendable {
    case call
    /// Answers the call with this id, or the first that rings.
    case answer(String?)

    init?(_ text: Substring) {
        let words = text.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        switch (words.first, words.count) {
        case ("call", 1): self = .call
        case ("answer", 1): self = .answer(nil)
        case ("answer", 2) where words[1].utf8.count == 16 && words[1].allSatisfy(\.isHexDigit):
            self = .answer(String(words[1]))
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .call: "call"
        case .answer(let call): "answer" + (call.map { "=\($0)" } ?? "")
        }
    }
}

/// What `stoa web` asks for.
package enum OpenRequest: Equatable, Sendable {
    /// A file that leads to the page, to a conversation in it, and to a call there.
    case page(conversation: String?, call: PageCallWord? = nil)
    /// A code that is typed into the page.
    case code

    /// A line, without its newline.
    package init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        switch words.first {
        case "page": self = .page(conversation: words.count > 1 ? String(words[1]) : nil)
        case let word? where words.count > 1:
            guard let call = PageCallWord(word) else { return nil }
            self = .page(conversation: String(words[1]), call: call)
        case "code" where words.count == 1: self = .code
        default: return nil
        }
    }

    package var line: String {
        switch self {
        case .page(let conversation?, let call?): "\(call.text) \(conversation)"
        case .page(let conversation, _): conversation.map { "page \($0)" } ?? "page"
        case .code: "code"
        }
    }
}

/// The file that takes a browser to the page: only its owner can read it, and its token works once.
package enum RedirectPage {
    package static func text(
        host: String, token: String, conversation: String?, call: PageCallWord? = nil
    ) -> String {
        // In the fragment, which no browser sends to anybody.
        let place =
            conversation.map { "&" + self.escaped($0) + (call.map { "&\($0.text)" } ?? "") }
            ?? ""
        return """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <title>Stoa</title>
            <meta http-equiv="refresh" content="0;url=http://\(host)/#\(token)\(place)">

            """
    }

    /// As a URL has it; letters and digits stay as they are.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
