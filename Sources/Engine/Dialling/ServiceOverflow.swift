internal import Formats

/// Whether more services are announced than there are places, though not because all start in the morning.
///
/// What a flood has left behind is come upon again with each look, for as long as it was announced for; so only what
/// is come upon for the first time says that a flood goes on.
struct ServiceOverflow: Sendable {
    private var began: UInt64 = 0
    /// What has been come upon, with a place or without.
    private var names: Set<String> = []
    private var toldAt: UInt64?

    /// The node begins to look for services, as all others may.
    mutating func begin(at moment: UInt64) {
        self = ServiceOverflow()
        self.began = moment
    }

    /// Most of what was come upon is gone.
    mutating func forget() { self.names = [] }

    /// A service is come upon: whether people should know that it finds no place, which they are told once a second.
    mutating func isNews(_ name: String, hasPlace: Bool, at moment: UInt64) -> Bool {
        if self.names.count >= Limits.overflowNames { self.forget() }
        guard self.names.insert(name).inserted, !hasPlace,
            moment - self.began >= Limits.morningMilliseconds,
            self.toldAt.map({ moment - $0 >= Limits.overflowToldMilliseconds }) ?? true
        else { return false }
        self.toldAt = moment
        return true
    }
}
