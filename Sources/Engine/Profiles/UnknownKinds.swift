/// What records take of kinds that this version does not know, by author.
///
/// Keys cost nothing, and each may have some such records of each kind: so those whom the user does not know have a
/// bounded number of bytes together. Of more, who has most loses theirs.
struct UnknownKinds: Sendable {
    private var bytes: [PeerID: Int] = [:]
    /// What they take, whoever wrote them.
    private(set) var total = 0
    /// Who would come to have as much is not taken, since who had as much has given way.
    private var ceiling = Int.max

    /// Who has written any.
    var authors: Dictionary<PeerID, Int>.Keys { self.bytes.keys }

    /// Whether this version knows what a kind of record says.
    static func isKnown(_ kind: UInt8) -> Bool {
        kind == Record.Kind.profile || kind == Record.Kind.mark
    }

    /// What an author has here takes so many bytes more, or fewer.
    mutating func note(_ change: Int, of author: PeerID) {
        self.total += change
        let bytes = self.bytes[author, default: 0] + change
        precondition(bytes >= 0, "only what is here goes")
        self.bytes[author] = bytes == 0 ? nil : bytes
        if self.total < Limits.strangersRecordBytes / 4 * 3 { self.ceiling = .max }
    }

    /// Whether an author whom the user does not know would be the next to give way with so many bytes more.
    func refuses(_ more: Int, of author: PeerID) -> Bool {
        self.bytes[author, default: 0] + more >= self.ceiling
    }

    /// Who gives way where some of the authors have more together than is kept of them, down to seven eighths:
    /// those with most.
    mutating func giveWay(_ strangers: [PeerID]) -> [PeerID] {
        let claims = strangers.map { (bytes: self.bytes[$0, default: 0], author: $0) }
        var left = claims.reduce(0) { $0 + $1.bytes }
        guard left > Limits.strangersRecordBytes else { return [] }
        var gone: [PeerID] = []
        for claim in claims.sorted(by: { ($1.bytes, $0.author) < ($0.bytes, $1.author) })
        where left > Limits.strangersRecordBytes / 8 * 7 {
            left -= claim.bytes
            self.ceiling = claim.bytes
            gone.append(claim.author)
        }
        return gone
    }
}
