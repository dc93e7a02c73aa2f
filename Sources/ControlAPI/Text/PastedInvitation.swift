/// The invitation in what somebody pasted: in quotes or brackets, with a full stop behind it, in a sentence.
package enum PastedInvitation {
    /// What is wanted.
    package enum Kind: String, CaseIterable, Sendable {
        case realm
        case room
        case group

        fileprivate var beginning: String { "stoa:\(self.rawValue)?" }
    }

    /// There are several, and only who pasted them knows which one is meant.
    package struct Several: Error, Equatable, Sendable {
        /// Which ones, by their names alone.
        package let text: String
        /// What to do.
        package let remedy = "paste one of them"
    }

    /// What every line ends with, before its check.
    private static let ending = "&check="
    private static let checkCharacters = 8
    /// How many are named where there are several.
    private static let named = 4

    /// The one invitation of these kinds that is in a text, or the text where there is none that is whole: what
    /// reads it says what is wrong with it.
    package static func find(_ kinds: Kind..., in text: String) throws(Several) -> String {
        try Self.find(kinds, in: text)
    }

    package static func find(_ kinds: [Kind], in text: String) throws(Several) -> String {
        var found: [(kind: Kind, link: String)] = []
        for kind in kinds {
            for link in Self.links(of: kind, in: Array(text.unicodeScalars))
            where !found.contains(where: { $0.link == link }) {
                found.append((kind, link))
            }
        }
        guard found.count < 2 else {
            let places = found.prefix(Self.named).map {
                "the \($0.kind.rawValue) \(Self.name(of: $0.link))"
            }
            let isMore = found.count > Self.named
            throw Several(
                text: "there are \(found.count) invitations: to "
                    + places.joined(separator: " and to ") + (isMore ? " and others" : ""))
        }
        return found.first?.link ?? text
    }

    /// Whether a text invites to a realm alone.
    package static func isOfRealm(_ text: String) -> Bool {
        let lower = text.lowercased()
        return lower.contains(Kind.realm.beginning) && !lower.contains(Kind.room.beginning)
            && !lower.contains(Kind.group.beginning)
    }

    /// Whether a line that was found is that of a group's link.
    package static func isOfGroup(_ link: String) -> Bool {
        link.lowercased().hasPrefix(Kind.group.beginning)
    }

    private static func links(of kind: Kind, in text: [Unicode.Scalar]) -> [String] {
        let beginning = Array(kind.beginning.unicodeScalars)
        var links: [String] = []
        var place = 0
        while place + beginning.count <= text.count {
            guard text[place...].starts(with: beginning) else {
                place += 1
                continue
            }
            let scalars = text[place...].prefix(while: Self.isOfLink)
            if let link = Self.whole(String(String.UnicodeScalarView(scalars))) {
                links.append(link)
            }
            place += max(1, scalars.count)
        }
        return links
    }

    /// A line up to the end of its check; nil where it is cut.
    private static func whole(_ text: String) -> String? {
        guard let end = text.firstRange(of: Self.ending) else { return nil }
        let check = text[end.upperBound...].prefix { $0.isLetter || $0.isNumber }
        guard check.count == Self.checkCharacters else { return nil }
        return String(text[..<end.upperBound] + check)
    }

    private static func isOfLink(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ":", "?", "&", "=", "%", "-", "_", ".": true
        default: false
        }
    }

    /// What a line calls the place; never anything else of it.
    private static func name(of link: String) -> String {
        let name = link.drop { $0 != "=" }.dropFirst().prefix { $0 != "&" }
        return "\"\(TerminalText.line(Self.plain(String(name))))\""
    }

    private static func plain(_ escaped: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(escaped.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RPCError {
    /// Several invitations are in what was pasted; -32602.
    package init(_ several: PastedInvitation.Several) {
        self = .invalidParams(
            several.text, reason: "severalInvites", remedy: several.remedy,
            details: [JSON.Member("param", "invite")])
    }
}
