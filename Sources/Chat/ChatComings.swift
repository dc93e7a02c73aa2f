import ControlAPI

/// Who has come and gone since somebody said something last: one line, which tells the latest of each.
struct ChatComings: Equatable, Sendable {
    private struct One: Equatable, Sendable {
        var peer: String
        var person: ShownPerson
        var event: ComingWord
    }

    /// How many are told apart in one line; of more the first are forgotten.
    private static let peopleLimit = 256
    /// How many are named who did the same.
    private static let namesLimit = 3

    private var people: [One] = []

    mutating func take(_ event: ComingWord, of peer: String, _ person: ShownPerson) {
        self.people.removeAll { $0.peer == peer }
        self.people.append(One(peer: peer, person: person, event: event))
        if self.people.count > Self.peopleLimit { self.people.removeFirst() }
    }

    var text: String {
        ComingWord.allCases.compactMap { event in
            let names = self.people.filter { $0.event == event }.map(\.person.quoted)
            guard !names.isEmpty else { return nil }
            let (be, isOne) = (names.count == 1 ? "is" : "are", names.count == 1)
            let what =
                switch event {
                case .joined: "\(be) here"
                case .back: "\(be) back"
                case .away: "\(be) away"
                case .left: "left"
                case .interrupted: isOne ? "lost the connection" : "lost their connections"
                }
            return "\(Self.listed(names)) \(what)"
        }.joined(separator: "; ")
    }

    private static func listed(_ names: [String]) -> String {
        guard names.count > 1 else { return names.first ?? "" }
        let isMany = names.count > Self.namesLimit
        let named = isMany ? names.prefix(Self.namesLimit) : names.dropLast()
        let last = isMany ? "\(names.count - Self.namesLimit) more" : names.last ?? ""
        return named.joined(separator: ", ") + " and " + last
    }
}

extension ChatState {
    /// In a conversation of more members only those are told of who have said something lately, as clients for
    /// chat rooms have it.
    private static let quietMembers: Int64 = 20
    /// Among how many messages is looked for something that they have said.
    private static let latelyMessages = 200

    /// Shows that somebody comes or goes, where that is told.
    mutating func comes(_ event: PresenceEvent) {
        guard let word = event.event else { return }
        let time = self.wall
        for id in event.conversations ?? [] {
            self.notes += 1
            let number = self.notes
            self.with(id) { conversation in
                let messages = conversation.scrollback.messages
                guard !messages.isEmpty, !conversation.scrollback.hasNewer else { return }
                let lately = messages.suffix(Self.latelyMessages).filter { $0.author == event.peer }
                if conversation.memberCount > Self.quietMembers {
                    guard lately.contains(where: \.isSaid) else { return }
                }
                // Who is new to the room has said so.
                guard word != .joined || lately.last?.kind != .event else { return }
                conversation.add(word, of: event.peer, event.shown, number, at: time)
            }
        }
    }
}

extension ChatConversation {
    fileprivate mutating func add(
        _ word: ComingWord, of peer: String, _ person: ShownPerson, _ number: Int,
        at time: Int64
    ) {
        var comings = self.scrollback.messages.last?.comings ?? ChatComings()
        comings.take(word, of: peer, person)
        if let last = self.scrollback.messages.last, last.comings != nil {
            return self.scrollback.change(last.id) {
                ($0.comings, $0.text, $0.time) = (comings, comings.text, time)
                $0.version += 1
            }
        }
        var line = ChatMessage(
            note: comings.text, isFault: false, id: "note \(number)", time: time)
        line.comings = comings
        self.scrollback.append(line)
        self.scrollback.trim(keepingOldest: self.anchor != nil)
    }
}
