import Crypto

@testable import Engine
@testable import Formats

/// A history of a group with what the model in `Tests/System/Groups` says of it.
struct GroupCase {
    let name: String
    let places: Int
    private(set) var acts: [ActID: ActStatement] = [:]
    /// What the roster is, in the words of the file; sorted.
    private(set) var outcome: [String] = []

    private init(name: String, places: Int) {
        self.name = name
        self.places = places
    }

    /// Reads all cases of a file; nil where it has another form.
    static func all(in text: String) -> [GroupCase]? {
        var found: [GroupCase] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "case":
                guard words.count == 3, let places = Int(words[2]) else { return nil }
                found.append(GroupCase(name: words[1], places: places))
            case "act":
                guard !found.isEmpty, let act = Self.act(words) else { return nil }
                found[found.count - 1].acts[ActID(Self.bytes(words[1]))] = act
            case "end": found[found.count - 1].outcome.sort()
            default: found[found.count - 1].outcome.append(String(line))
            }
        }
        return found
    }

    private static func act(_ words: [String]) -> ActStatement? {
        guard words.count >= 12, let rank = Rank(words[6]), let time = UInt64(words[7]),
            let expires = UInt64(words[8]), let number = UInt64(words[10])
        else { return nil }
        let subject = Self.bytes(words[5])
        let deed: Deed
        switch words[2] {
        case "create": deed = .create
        case "add": deed = .add(PersonID(subject))
        case "remove": deed = .remove(PersonID(subject))
        case "admin": deed = .admin(PersonID(subject), rank)
        case "demote": deed = .demote(PersonID(subject))
        case "leave": deed = .leave
        case "link":
            deed = .link(expires: expires == 0 ? nil : expires, needsApproval: words[9] == "1")
        case "endlink": deed = .endLink(ActID(subject))
        case "join": deed = .join(ActID(subject))
        case "accept": deed = .accept(ActID(subject))
        case "cut": deed = .cut(PeerID(subject), number: number, stands: words[11] == "1")
        case "tie": deed = .tie
        default: return nil
        }
        return ActStatement(
            author: PersonID(Self.bytes(words[3])),
            device: words[4] == "-" ? nil : PeerID(Self.bytes(words[4])),
            basis: words.dropFirst(12).map { ActID(Self.bytes($0)) }, time: time, deed: deed)
    }

    /// A name as 32 bytes: the text and zeros, which orders as the text does.
    private static func bytes(_ text: String) -> Bytes32 {
        let bytes = Array(text.utf8)
        guard let value = Bytes32(bytes + [UInt8](repeating: 0, count: 32 - bytes.count)) else {
            preconditionFailure("names of the file are short")
        }
        return value
    }

    private static func text(_ bytes: Bytes32) -> String {
        String(decoding: bytes.bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// A roster in the words of the file; sorted.
    static func words(of roster: Roster) -> [String] {
        var words = roster.members.map { person, role in
            let rank =
                switch role {
                case .owner: "0"
                case .admin(let rank): "\(rank)"
                case .member: "-"
                }
            return "member \(Self.text(person.hash)) \(rank)"
        }
        words += roster.verdicts.map { id, verdict in
            let status =
                switch verdict {
                case .counts: "counts"
                case .undecided(let reason): "undecided \(reason.rawValue)"
                case .settled(let reason): "settled \(reason.rawValue)"
                case .void(let reason): "void \(reason.rawValue)"
                case .waits: "waits"
                }
            return "verdict \(Self.text(id.hash)) \(status)"
        }
        words += roster.cutDevices.map { "cut \(Self.text($0.key))" }
        words += roster.takings.map { "taking \(Self.text($0.hash))" }
        words += roster.openLinks.map { "link \(Self.text($0.hash))" }
        words += roster.brought.map { "brought \(Self.text($0.hash))" }
        return words.sorted()
    }
}
