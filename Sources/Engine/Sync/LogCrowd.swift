internal import Formats

/// How many logs a conversation may have here.
package struct LogBounds: Hashable, Sendable {
    /// Of all authors together.
    package var all = Limits.logsPerConversation
    /// Of an author whom the user knows, or who shares a realm with a secret.
    package var ofKnown = Limits.ofKnown.logsOfAuthor
    /// Of any other author.
    package var ofStranger = Limits.ofStrangers.logsOfAuthor

    /// Those of ``Limits``.
    package init() {}

    /// Of an author who is trusted so far.
    func ofAuthor(_ tier: Tier) -> Int { tier > .stranger ? self.ofKnown : self.ofStranger }
}

/// Who brought a log here, and when.
package struct LogCharge: Hashable, Sendable {
    /// From where it came first; nil for an own one.
    ///
    /// Authors cost nothing, so a log takes the room of whoever brought it, whoever wrote it.
    package var source: Source?
    /// Logs that came later have greater numbers, whatever time they claim.
    package var number: Int64
    /// What else is noted of it.
    package var marks: LogMarks

    /// Says who brought a log.
    package init(source: Source? = nil, number: Int64 = 0, marks: LogMarks = LogMarks()) {
        self.source = source
        self.number = number
        self.marks = marks
    }
}

/// The logs of a full conversation that may give way, by where they came from.
///
/// Made where there is no room, and used for a moment: who is trusted changes seldom. That is ``FairShare`` of logs of
/// one rank, kept between newcomers: a flood of authors asks thousands of times a second.
struct LogCrowd: Sendable {
    /// A log that may give way.
    struct Occupant: Hashable, Sendable {
        var name: LogName
        var source: Source?
        /// Of two logs of one source that with the greater number gives way.
        var number: Int64
    }

    /// When it was made, in monotonic milliseconds.
    let madeAt: UInt64
    /// Those of each source, in the order in which they came.
    private var sources: [Source?: [Occupant]]

    init(_ occupants: [Occupant], at now: UInt64) {
        self.madeAt = now
        self.sources = Dictionary(grouping: occupants, by: \.source)
            .mapValues { $0.sorted { ($0.number, $0.name) < ($1.number, $1.name) } }
    }

    /// Takes in a log that came since.
    mutating func add(_ occupant: Occupant) {
        self.sources[occupant.source, default: []].append(occupant)
    }

    /// Takes out the log that gives way to one that comes from `source`; nil where that has to stay out.
    ///
    /// The source with most logs loses its newest; see ``FairShare/gives(_:to:)`` of a newcomer that may give way itself.
    ///
    /// - Parameters:
    ///   - stays: whether the newcomer would never give way.
    ///   - isFree: whether a log is still here, and nothing of it is on its way to the disk.
    mutating func giveWay(
        to source: Source?, stays: Bool, isFree: (LogName) -> Bool
    ) -> LogName? {
        let own = self.sources[source]?.count ?? 0
        let largest = self.sources.max { left, right in
            guard left.value.count == right.value.count else {
                return left.value.count < right.value.count
            }
            return (left.key?.description ?? "") < (right.key?.description ?? "")
        }
        guard let largest, stays || FairShare<LogName>.gives(largest.value.count, to: own),
            let index = largest.value.lastIndex(where: { isFree($0.name) })
        else { return nil }
        return self.sources[largest.key]?.remove(at: index).name
    }
}

/// Logs for which there was no room, the last of them: none of these is taken until there is.
struct RefusedLogs: Sendable {
    private var members: Set<LogName> = []
    private var order = Queue<LogName>()

    /// Them all, in no order.
    var names: Set<LogName> { self.members }

    func contains(_ name: LogName) -> Bool { self.members.contains(name) }

    /// Adds one; gives those that are forgotten for it, which may have been taken out meanwhile.
    mutating func add(_ name: LogName) -> [LogName] {
        guard self.members.insert(name).inserted else { return [] }
        self.order.append(name)
        var forgotten: [LogName] = []
        while self.order.count > Limits.refusedLogs, let oldest = self.order.removeFirst() {
            self.members.remove(oldest)
            forgotten.append(oldest)
        }
        return forgotten
    }

    /// Takes one out; false where it is not in.
    mutating func remove(_ name: LogName) -> Bool { self.members.remove(name) != nil }
}
