internal import ControlAPI
internal import Engine
internal import Formats

/// Whether the user is at a client, as clients say.
struct Attention {
    /// The monotonic moment at which a client has said last that the user is at it.
    private(set) var activeAt: UInt64?
    /// Whether the user is away since nobody was at a client, and not by their own word.
    private var isAwayUnattended = false
    /// The monotonic moment at which somebody has done something last.
    private(set) var actedAt: UInt64 = 0
    /// Which look whether to lock counts; those that were planned before it do not.
    private(set) var lockLook = 0

    /// Notes what a client says; gives the presence that the user has from here on, nil where that stays.
    mutating func note(
        _ presence: PresenceWord?, isActive: Bool?, at now: UInt64
    ) -> Presence? {
        if isActive == true || presence == .online { (self.activeAt, self.actedAt) = (now, now) }
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

    /// Notes that somebody has sent or changed something.
    mutating func act(at now: UInt64) { self.actedAt = now }

    /// After how many milliseconds nobody will have done anything for so many minutes; 0 where that is so.
    func idleIn(minutes: UInt64, at now: UInt64) -> UInt64 {
        let due = self.actedAt + minutes * 60_000
        return due > now ? due - now : 0
    }

    /// Plans a look whether to lock, in the place of those before.
    mutating func planLock() -> Int {
        self.lockLook += 1
        return self.lockLook
    }
}
