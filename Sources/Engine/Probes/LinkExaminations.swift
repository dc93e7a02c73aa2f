internal import Formats

/// Requests that want to know of links two things, one after the other: who reaches this node, and what becomes
/// of packets.
///
/// A peer that dials back makes a second link of its own, and one of the two ends. So packets are tried only
/// once the dials have ended: else they would be on a link that goes.
struct LinkExaminations: Sendable {
    private struct Part: Sendable {
        var own: Set<Source>
        var reach: [DialBackReport] = []
    }

    private var all: [RequestID: Part] = [:]

    /// A request waits from here on, that is not about the hosts of `own`.
    mutating func begin(_ request: RequestID, besides own: Set<Source>) {
        self.all[request] = Part(own: own)
    }

    /// What has become of the dials that were asked for; gives the hosts to which packets are not tried.
    mutating func reached(_ request: RequestID, _ reports: [DialBackReport]) -> Set<Source> {
        self.all[request]?.reach = reports
        return self.all[request]?.own ?? []
    }

    /// What became of packets is known, too: a request ends, and is given what was found first.
    mutating func end(_ request: RequestID) -> [DialBackReport] {
        self.all.removeValue(forKey: request)?.reach ?? []
    }
}
