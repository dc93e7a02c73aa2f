package import Formats

/// A sign, and who has given it to a message.
package struct ReactionCount: Hashable, Sendable {
    package var sign: String
    /// Who, each person by one of their devices.
    package var people: [PeerID]

    /// Counts the reactions to a message: of one person and sign the one that is latest.
    ///
    /// Signs that the user or somebody whom they know has given come first, then those that most people have,
    /// then those that were given first; so do the people of each sign. Whoever invents people moves none of
    /// the first.
    ///
    /// - Parameters:
    ///   - person: whose device somebody is, where that is known.
    ///   - isKnown: whether somebody is the user, or known to them.
    package static func count(
        _ reactions: [Message], person: (PeerID) -> PersonID?, isKnown: (PeerID) -> Bool
    ) -> [ReactionCount] {
        // Of most messages that have any.
        if reactions.count == 1, case .reaction(let only)? = reactions.first?.content {
            return only.isWithdrawn
                ? [] : [ReactionCount(sign: only.sign, people: reactions.map(\.author))]
        }
        struct Given: Hashable {
            var sign: String
            var person: PersonID?
            var device: PeerID?
        }
        var latest: [Given: (message: Message, reaction: Reaction)] = [:]
        for message in reactions {
            guard case .reaction(let reaction) = message.content else { continue }
            let person = person(message.author)
            let given = Given(
                sign: reaction.sign, person: person, device: person == nil ? message.author : nil)
            if let known = latest[given], !known.message.isShown(before: message) { continue }
            latest[given] = (message, reaction)
        }
        var counts: [String: (first: Int, known: [PeerID], others: [PeerID])] = [:]
        let standing = latest.values.filter { !$0.reaction.isWithdrawn }
            .sorted { $0.message.isShown(before: $1.message) }
        for (index, (message, reaction)) in standing.enumerated() {
            var count = counts.removeValue(forKey: reaction.sign) ?? (index, [], [])
            if isKnown(message.author) {
                count.known.append(message.author)
            } else {
                count.others.append(message.author)
            }
            counts[reaction.sign] = count
        }
        func rank(_ sign: String) -> (Int, Int, Int) {
            guard let count = counts[sign] else { return (0, 0, 0) }
            let people = count.known.count + count.others.count
            return (count.known.isEmpty ? 1 : 0, -people, count.first)
        }
        return counts.keys.sorted { rank($0) < rank($1) }.map { sign in
            let count = counts[sign]
            return ReactionCount(
                sign: sign, people: (count?.known ?? []) + (count?.others ?? []))
        }
    }
}
