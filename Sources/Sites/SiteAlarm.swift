/// When the user is told that messages do not reach other sites, and that they do again.
///
/// A server that starts again is nothing to tell of.
package struct SiteAlarm: Sendable {
    package enum News: Hashable, Sendable {
        case problem(String)
        case over
    }

    /// How long something is wrong before it is told.
    package static let patienceMilliseconds: UInt64 = 30_000
    /// How often it is told again: the daemon takes it for over by itself.
    package static let repeatMilliseconds: UInt64 = 60_000

    private var problem: String?
    private var isTold = false
    /// The moment at which something is to be told; nil where nothing is.
    package private(set) var due: UInt64?

    package init() {}

    /// What is wrong now; nil for nothing.
    package mutating func set(_ problem: String?, at now: UInt64) {
        let was = self.problem
        self.problem = problem
        if problem == nil {
            if was != nil { self.due = self.isTold ? now : nil }
        } else if was == nil {
            self.due = now + (self.isTold ? 0 : Self.patienceMilliseconds)
        }
    }

    /// What is to be told now; nil where nothing is.
    package mutating func take(at now: UInt64) -> News? {
        guard let due = self.due, due <= now else { return nil }
        self.isTold = self.problem != nil
        self.due = self.isTold ? now + Self.repeatMilliseconds : nil
        return self.problem.map { .problem($0) } ?? .over
    }
}
