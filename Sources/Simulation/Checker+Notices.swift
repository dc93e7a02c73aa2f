import Engine
import Formats

/// What subscribers are told beside messages.
extension Checker {
    /// A node that goes on after a commit has told all that the batch noted.
    func told(_ outcome: BatchOutcome, by machine: Machine) throws {
        guard let last = outcome.notices.last else { return }
        guard last <= machine.shownCursor else {
            throw Violation("node \(machine.index) does not tell what it has noted")
        }
    }

    /// The newest notice of each room on a disk says what the disk says, and all stand in one order.
    func noted(on machine: Machine) throws {
        let notices = machine.store.notices
        guard notices.count <= Limits.notices,
            zip(notices, notices.dropFirst()).allSatisfy({ $0.cursor < $1.cursor }),
            notices.last.map({ $0.cursor.rawValue <= machine.store.newestCursor }) ?? true
        else { throw Violation("node \(machine.index) keeps notices out of order, or too many") }
        guard notices.count < Limits.notices else { return }
        var joined: [ConversationID: Bool] = [:]
        for (_, notice) in notices {
            switch notice.event {
            case .joined(let room): joined[room] = true
            case .left(let room): joined[room] = false
            case .arranged, .realmJoined, .realmLeft, .realmRenewed, .raised, .cleared, .requested,
                .erased, .delivered, .read, .seen, .linked, .unlinked, .stood, .profiled, .decided,
                .invited, .answered, .turned, .set, .forgotten:
                break
            }
        }
        guard joined == machine.store.rooms.mapValues(\.isJoined) else {
            throw Violation("node \(machine.index) has noted other joins and leaves than it stored")
        }
    }
}
