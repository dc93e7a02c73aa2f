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

    /// Any: the roster asks only that there is one.
    private static let group = Group(
        owner: PublicPerson(signing: .zero, address: .zero), nonce: .zero,
        realm: .open, history: .all, suite: .xchacha20Poly1305, name: room("ops").name)

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

    static func act(_ words: [String]) -> ActStatement? {
        guard words.count >= 12, let rank = Rank(words[6]), let time = UInt64(words[7]),
            let expires = UInt64(words[8]), let number = UInt64(words[10])
        else { return nil }
        let subject = Self.bytes(words[5])
        let kind: ActKind
        switch words[2] {
        case "create": kind = .create(Self.group)
        case "add": kind = .add(PersonID(subject))
        case "remove":
            kind =
                .remove(
                    PersonID(subject),
                    seen: [
                        LogPosition(log: LogName(author: PeerID(subject), incarnation: 0), seq: 1)
                    ])
        case "admin": kind = .admin(PersonID(subject), rank)
        case "demote": kind = .demote(PersonID(subject))
        case "leave": kind = .leave
        case "link":
            kind = .link(
                GroupLink(
                    key: .zero, expires: expires == 0 ? nil : expires,
                    needsApproval: words[9] == "1"))
        case "endlink": kind = .endLink(ActID(subject))
        case "join": kind = .join(ActID(subject), proof: .zero)
        case "accept": kind = .accept(ActID(subject))
        case "cut": kind = .cut(PeerID(subject), number: number, stands: words[11] == "1")
        case "tie": kind = .tie
        default: return nil
        }
        return ActStatement(
            author: PersonID(Self.bytes(words[3])),
            device: words[4] == "-" ? nil : PeerID(Self.bytes(words[4])),
            basis: words.dropFirst(12).map { ActID(Self.bytes($0)) }, time: time, kind: kind)
    }

    static func id(_ name: String) -> ActID { ActID(self.bytes(name)) }

    /// A name as 32 bytes: the text and zeros, which orders as the text does.
    static func bytes(_ text: String) -> Bytes32 {
        let bytes = Array(text.utf8)
        guard let value = Bytes32(bytes + [UInt8](repeating: 0, count: 32 - bytes.count)) else {
            preconditionFailure("names of the file are short")
        }
        return value
    }

    static func text(_ bytes: Bytes32) -> String {
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
        words += roster.cutDevices.map {
            "cut \(Self.text($0.person.hash)) \(Self.text($0.device.key))"
        }
        words += roster.takings.map { "taking \(Self.text($0.hash))" }
        words += roster.openLinks.map { "link \(Self.text($0.hash))" }
        words += roster.brought.map { "brought \(Self.text($0.hash))" }
        return words.sorted()
    }
}
