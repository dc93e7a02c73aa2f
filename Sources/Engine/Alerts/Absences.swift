internal import Formats

/// People whom the user knows, who were linked since the start and are gone without a goodbye: after a while
/// they are missed, until they are back.
///
/// It counts what this node has seen itself. Who says goodbye has ended their daemon, so that it counts for all
/// links with that start of it: for one that was dialled meanwhile, too, on which nothing is said. Whoever this
/// node has left behind, since its own network is another one, is not missed. Nothing is looked at again and
/// again: ``next`` is the one moment that matters, and there is none while nobody is gone.
struct Absences: Sendable {
    /// Somebody who is missed.
    struct Missed: Hashable, Sendable {
        var person: PersonID
        /// The device that was linked last.
        var device: PeerID
    }

    private struct Gone: Sendable {
        var device: PeerID
        /// The monotonic moment at which the link ended.
        var since: UInt64
        var isMissed = false
    }

    /// What was found on this machine, and the monotonic moment.
    private struct Examination: Sendable {
        var found: [String]
        var at: UInt64
    }

    private var gone: [PersonID: Gone] = [:]
    /// Those who have said goodbye, and of which start of their daemon they did so last.
    private(set) var goodbyes: [PersonID: UInt64] = [:]
    private var examination: Examination?
    /// Whether this machine is being looked at.
    private var isExamining = false
    /// The monotonic moment at which the own network became another one.
    private var movedAt: UInt64?

    /// Those who are missed, in order.
    var missed: [Missed] {
        self.gone.filter(\.value.isMissed).map { Missed(person: $0, device: $1.device) }
            .sorted { $0.device < $1.device }
    }

    /// The devices of those who are gone, missed or not yet.
    var devices: [PeerID] { self.gone.values.map(\.device) }

    /// When somebody is to be missed, or no longer; nil where nobody is gone.
    var next: UInt64? { self.gone.values.map(Self.moment).min() }

    private static func moment(of gone: Gone) -> UInt64 {
        gone.since + (gone.isMissed ? Limits.missedMilliseconds : Limits.missingMilliseconds)
    }

    /// The link with a device of somebody has ended without a goodbye.
    ///
    /// - Parameter boot: the start of the daemon there.
    mutating func lost(_ person: PersonID, _ device: PeerID, boot: UInt64, at now: Instant) {
        guard self.goodbyes[person] != boot else { return }
        // What ended since the own network is another one has not gone, but this node.
        if let moved = self.movedAt,
            now.monotonic - moved < Limits.movedMilliseconds
        {
            return
        }
        guard self.gone[person]?.isMissed != true else { return }
        self.gone[person] = Gone(device: device, since: now.monotonic)
    }

    /// Somebody is linked, or their link has ended for another reason.
    mutating func forget(_ person: PersonID) { self.gone[person] = nil }

    /// Somebody says goodbye, on whichever link, since that start of their daemon ends.
    mutating func saidGoodbye(_ person: PersonID, boot: UInt64) { self.goodbyes[person] = boot }

    /// Somebody is not of those any longer whom the user knows.
    mutating func drop(_ person: PersonID) {
        self.gone[person] = nil
        self.goodbyes[person] = nil
    }

    /// The own network is another one: nobody is missed whom this node may have left behind.
    mutating func moved(at now: Instant) {
        self.movedAt = now.monotonic
        self.gone = [:]
        self.examination = nil
    }

    /// Lets time pass; true where others are missed than before.
    ///
    /// - Parameter isHere: whether somebody is linked by another device, or is not to be missed at all.
    mutating func look(at now: Instant, isHere: (PersonID) -> Bool) -> Bool {
        guard let next = self.next, next <= now.monotonic else { return false }
        let before = self.missed
        for (person, gone) in self.gone where Self.moment(of: gone) <= now.monotonic {
            if gone.isMissed || isHere(person) {
                // Who is away for so long is not missed any more.
                self.gone[person] = nil
            } else {
                self.gone[person]?.isMissed = true
            }
        }
        return self.missed != before
    }

    /// What was found on this machine so lately that it still holds; nil where it is to be looked at anew.
    func found(at now: Instant) -> [String]? {
        guard let examination = self.examination,
            now.monotonic - min(examination.at, now.monotonic) < Limits.examinedMilliseconds
        else { return nil }
        return examination.found
    }

    /// This machine is to be looked at; false where it is being done already.
    mutating func beginExamination() -> Bool {
        defer { self.isExamining = true }
        return !self.isExamining
    }

    /// This machine was looked at.
    mutating func examined(_ found: [String], at now: Instant) {
        self.isExamining = false
        self.examination = Examination(found: found, at: now.monotonic)
    }

    /// What the alert says of those who are missed.
    ///
    /// - Parameters:
    ///   - names: of those who are missed; at least one.
    ///   - links: how many others are linked.
    ///   - failure: why the one who is missed cannot be dialled, where that is known.
    ///   - found: what is wrong on this machine, what matters most first.
    static func text(
        of names: [String], links: Int, failure: String?, found: [String]
    ) -> String {
        let listed = names.prefix(3).joined(separator: ", ")
        let who = names.count > 3 ? "\(listed) and \(names.count - 3) more" : listed
        let isOne = names.count == 1
        let minutes = Limits.missingMilliseconds / 60_000
        let why = failure.map { " (\($0))" } ?? ""
        return
            "\(who) \(isOne ? "was" : "were") here and \(isOne ? "has" : "have") been gone for over "
            + "\(minutes) minutes without a goodbye\(why); "
            + (links == 0
                ? "nobody is linked" : "\(links) \(links == 1 ? "other is" : "others are") linked")
            + "; " + Self.verdict(found)
    }

    /// The first of what was found, how much there is, and what to do.
    private static func verdict(_ found: [String]) -> String {
        guard let first = found.first else {
            return "nothing is wrong on this machine: ask whether theirs is on, or run stoa doctor"
        }
        let rest = found.count - 1
        let more = rest > 0 ? ", and \(rest) \(rest == 1 ? "thing" : "things") more" : ""
        return "it may be that \(first)\(more): stoa doctor says what to do"
    }
}
