/// The records that stand, and those that came before the first entry of their authors.
struct Profiles: Sendable {
    private(set) var standing: [PeerID: Record] = [:]
    /// The links that keep records of authors who are not known yet.
    private var earlyHolders: Set<LinkID> = []

    init(_ records: [Record]) {
        for record in records where record.kind == Record.Kind.profile {
            self.standing[record.author] = record
        }
    }

    /// The record of an author that is on disk.
    func record(of author: PeerID) -> Record? { self.standing[author] }

    /// The profile of a person; nil where none is known.
    func profile(of peer: PeerID) -> Profile? { self.standing[peer]?.profile }

    /// Whether a record may stand instead of the one that is here; one that is ahead of time does not
    /// stand.
    static func takesPlace(_ record: Record, of standing: Record?, _ time: CommonTime) -> Bool {
        guard let standing else { return true }
        return record.supersedes(standing) || time.isAhead(standing.time)
    }

    /// Takes a record that is on disk; gives the one that it took the place of.
    mutating func settle(_ record: Record) { self.standing[record.author] = record }

    mutating func noteEarly(on link: LinkID) { self.earlyHolders.insert(link) }

    mutating func dropEarly(of link: LinkID) { self.earlyHolders.remove(link) }

    /// The links that keep early records, in order.
    var holders: [LinkID] { self.earlyHolders.sorted() }
}
