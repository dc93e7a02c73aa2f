import Crypto

@testable import Engine
@testable import Formats

/// What members of a group ask about keys, with the answers of the model in `Tests/System/Groups`.
struct EpochCase {
    struct Question {
        var line: String
        var words: [String]
        var known: [ActID]
        var answer: String
    }

    let name: String
    let history: Group.History
    private(set) var acts: [ActID: ActStatement] = [:]
    private(set) var epochs: [String: Epoch] = [:]
    private(set) var questions: [Question] = []

    /// Reads all cases of a file; nil where it has another form.
    static func all(in text: String) -> [EpochCase]? {
        var found: [EpochCase] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "case" {
                guard words.count == 3 else { return nil }
                found.append(
                    EpochCase(name: words[1], history: words[2] == "joined" ? .joined : .all))
                continue
            }
            guard !found.isEmpty, found[found.count - 1].take(words, String(line)) else {
                return nil
            }
        }
        return found
    }

    private init(name: String, history: Group.History) {
        self.name = name
        self.history = history
    }

    private mutating func take(_ words: [String], _ line: String) -> Bool {
        switch words[0] {
        case "act":
            guard let act = GroupCase.act(words) else { return false }
            self.acts[GroupCase.id(words[1])] = act
        case "epoch":
            self.epochs[words[1]] = Epoch(
                id: GroupCase.bytes(words[1]), maker: PersonID(GroupCase.bytes(words[2])),
                device: PeerID(GroupCase.bytes(words[3])),
                basis: words.dropFirst(4).map(GroupCase.id), people: .zero)
        case "end": break
        default:
            guard let known = words.firstIndex(of: "<"), words.count >= 3 else { return false }
            self.questions.append(
                Question(
                    line: "\(self.name): \(line)", words: Array(words[..<known]),
                    known: words[(known + 1)..<(words.count - 2)].map(GroupCase.id),
                    answer: words[words.count - 1]))
        }
        return true
    }

    /// What the engine answers, in the words of the file.
    func answer(_ question: Question, knowing all: GroupView) -> String? {
        guard let past = all.graph.reach(of: question.known) else { return nil }
        let view = GroupView(all.graph.statements(past), history: self.history)
        let words = question.words
        switch words[0] {
        case "use":
            guard let (epoch, people) = self.epoch(words[1], all) else { return nil }
            return view.mayUse(epoch, for: people) ? "yes" : "no"
        case "give":
            guard let (epoch, people) = self.epoch(words[1], all) else { return nil }
            let may = view.mayGive(
                epoch, for: people, to: PersonID(GroupCase.bytes(words[2])),
                on: PeerID(GroupCase.bytes(words[3])))
            return may ? "yes" : "no"
        case "pick":
            let picked = view.pick(words.dropFirst().compactMap { self.epoch($0, all) })
            return picked.map { GroupCase.text($0.id) } ?? "-"
        case "see":
            // The model knows no positions: who removes has all.
            let person = GroupCase.bytes(words[1])
            let showing = view.showing(
                1, of: LogName(author: PeerID(person), incarnation: 0), by: PersonID(person),
                wasShown: words[2] == "shown")
            return "\(showing)"
        default: return nil
        }
    }

    private func epoch(_ name: String, _ all: GroupView) -> (Epoch, Set<PersonID>)? {
        guard let epoch = self.epochs[name], let past = all.graph.reach(of: epoch.basis) else {
            return nil
        }
        return (epoch, all.members(knowing: past))
    }
}
