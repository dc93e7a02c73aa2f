internal import Formats

/// Who is more senior: the owner, then people by the smallest rank that they were ever given, then all others.
///
/// A rank that two people were given at once is told apart by their ids.
struct Seniority: Hashable, Comparable {
    /// 0 for the owner; the greatest number for people who never had a rank.
    let rank: UInt32
    private let person: PersonID?

    static let owner = Seniority(rank: 0, person: nil)

    private init(rank: UInt32, person: PersonID?) {
        self.rank = rank
        self.person = person
    }

    init(_ person: PersonID, rank: Rank?) {
        self.init(rank: rank.map(UInt32.init) ?? .max, person: person)
    }

    static func < (left: Seniority, right: Seniority) -> Bool {
        guard left.rank == right.rank, let one = left.person, let other = right.person else {
            return left.rank < right.rank
        }
        return one < other
    }
}
