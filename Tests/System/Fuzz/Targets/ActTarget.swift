import Crypto

@testable import Engine
@testable import Formats

/// An act of a group, its signature as it comes or one that holds.
enum ActTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let isSigned = feed.byte() & 1 != 0
        let raw = feed.remainder()
        guard let act = try? Act(decoding: raw) else { return .refused }
        try demand(act.encoded == raw, "an act is taken in a second form")
        try demand(raw.count <= Limits.actBytes, "an act is longer than its bound")
        try demand(
            (act.certificate == nil) == (act.statement.device == nil),
            "an act has one half of its signer")
        try demand(act.person.id == act.statement.author, "an act is somebody else's")
        guard isSigned else { return .accepted }
        try Self.survives(act)
        return .accepted
    }

    /// What was read is signed anew, and read again.
    private static func survives(_ act: Act) throws {
        let said = act.statement
        let again: Act
        if case .cut(let device, let number, let stands) = said.kind {
            again = Act(
                cutting: device, number: number, stands: stands, in: act.group, basis: said.basis,
                time: act.time, by: Keys.person)
        } else {
            again = Act(
                said.kind, in: act.group, basis: said.basis, time: act.time,
                certificate: Keys.certificates[0], by: Keys.ada)
        }
        let read = try Act(decoding: again.encoded)
        try demand(read.encoded == again.encoded, "an act does not survive its encoding")
        // A founding is its author's, so signed by somebody else it founds another group.
        if case .create(let founded) = read.statement.kind {
            try demand(founded.owner == read.person, "a group is somebody else's")
            try demand(read.isValid() == (founded.id == act.group), "another group is founded")
        } else {
            try demand(read == again && read.statement.kind == said.kind, "an act changes")
            try demand(read.isValid(), "an honest signature is refused")
        }
    }
}
