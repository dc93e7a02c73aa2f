internal import ControlAPI
internal import Engine
internal import Formats

/// Whether the user is at a client, as clients say.
struct Attention {
    /// The monotonic moment at which a client has said last that the user is at it.
    private(set) var activeAt: UInt64?
    /// Whether the user is away since nobody was at a client, and not by their own word.
    private var isAwayUnattended = false

    /// Notes what a client says; gives the presence that the user has from here on, nil where that stays.
    mutating func note(
        _ presence: PresenceWord?, isActive: Bool?, at now: UInt64
    ) -> Presence? {
        if isActive == true || presence == .online { self.activeAt = now }
        let isBack = isActive == true && self.isAwayUnattended
        if presence != nil || isBack {
            self.isAwayUnattended = presence == .away && isActive == false
        }
        switch presence ?? (isBack ? .online : nil) {
        case .online: return .online
        case .away: return .away
        case .offline, nil: return nil
        }
    }
}
