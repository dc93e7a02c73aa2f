import ControlAPI

/// Links to web pages in texts of others.
enum WebLink {
    /// The longest that is opened, in bytes: as long as browsers promise to take.
    private static let bytes = 2_000
    private static let schemes = ["https://", "http://"]
    /// What ends a sentence around a link, and not the link.
    private static let endings = Set(".,;:!?'\"*_")
    private static let brackets: [Character: Character] = [")": "(", "]": "["]

    /// The links in a text, from its front, each as it would be opened: `http` or `https`, a host of plain
    /// letters without a name or a password before it, and the rest with all but ASCII escaped.
    static func all(in text: String) -> [String] {
        var found: [String] = []
        var rest = Substring(text)
        while let start = self.start(in: rest) {
            let word = rest[start...].prefix { self.isOfLink($0) }
            if let link = self.link(word) { found.append(link) }
            rest = rest[start...].dropFirst(max(1, word.count))
        }
        return found
    }

    private static func start(in text: Substring) -> Substring.Index? {
        var place = text.startIndex
        while let next = text[place...].firstIndex(where: { $0 == "h" || $0 == "H" }) {
            let beginning = text[next...].prefix(8).lowercased()
            let isAlone = next == text.startIndex || !text[text.index(before: next)].isLetter
            if isAlone, self.schemes.contains(where: beginning.hasPrefix) { return next }
            place = text.index(after: next)
        }
        return nil
    }

    private static func isOfLink(_ character: Character) -> Bool {
        guard !character.isWhitespace, !"<>\"{}|\\^`".contains(character) else { return false }
        return !character.unicodeScalars.contains { TerminalText.isHidden($0) }
    }

    private static func link(_ word: Substring) -> String? {
        var word = word
        while let last = word.last {
            let opening = self.brackets[last]
            let isOpen = opening.map { open in
                word.count { $0 == last } > word.count { $0 == open }
            }
            guard self.endings.contains(last) || isOpen == true else { break }
            word.removeLast()
        }
        guard let scheme = self.schemes.first(where: { word.lowercased().hasPrefix($0) }) else {
            return nil
        }
        let behind = word.dropFirst(scheme.count)
        let host = behind.prefix { !"/?#".contains($0) }
        guard host.contains(where: \.isLetter) || host.contains(where: \.isNumber),
            host.unicodeScalars.allSatisfy(self.isOfHost)
        else { return nil }
        let link = scheme + host + self.escaped(behind.dropFirst(host.count))
        return link.utf8.count <= self.bytes ? link : nil
    }

    private static func isOfHost(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", ":", "[", "]": true
        default: false
        }
    }

    private static func escaped(_ text: Substring) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7F {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return escaped
    }
}

/// `/open`: links are listed first, and one is opened when its number is given, never by itself.
extension ChatState {
    private static let linksListed = 9

    mutating func open(_ command: SlashCommand) {
        guard !command.rest.isEmpty else { return self.listLinks() }
        let links = self.shown.found.links
        guard !links.isEmpty else { return self.listLinks() }
        guard let number = Int(command.rest), links.indices.contains(number - 1) else {
            return self.note("links have numbers from 1 to \(links.count): /open", isFault: true)
        }
        let link = links[number - 1]
        self.note("opening \(link)")
        self.perform(.open(id: self.startedProgram(), link: link))
    }

    /// Those of the chosen message, else the newest ones.
    private mutating func listLinks() {
        let chosen = self.shown.aiming.selected.flatMap { self.shown.scrollback[$0] }
        let messages = chosen.map { [$0] } ?? self.shown.scrollback.messages.suffix(500).reversed()
        var links: [String] = []
        for message in messages where message.isSaid && !message.isErased {
            for link in WebLink.all(in: message.text) where !links.contains(link) {
                links.append(link)
            }
            if links.count >= Self.linksListed { break }
        }
        links = Array(links.prefix(Self.linksListed))
        self.shown.found.links = links
        guard !links.isEmpty else {
            let place = chosen == nil ? "here" : "in the chosen message"
            return self.note("there is no link to a web page \(place)", isFault: true)
        }
        for (index, link) in links.enumerated().reversed() { self.note("\(index + 1)  \(link)") }
        self.note("/open 1 opens the first in your browser")
    }
}
