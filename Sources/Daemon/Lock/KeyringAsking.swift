internal import ControlAPI

/// What a locked node knows of asking the desktop's keyring.
///
/// The keyring is asked when the daemon has started, and again for two minutes, in which a desktop comes up. What was
/// locked since the start is opened by its passphrase alone.
struct KeyringAsking {
    private enum State: Equatable {
        /// There is no slot.
        case none
        /// There is one, but the node was locked on purpose.
        case passedOver
        case asking
        case refused(KeyringRefusal)
    }

    private var state: State
    private var last: KeyringRefusal?
    /// How often it was asked by itself.
    private var attempts = 0
    private static let attemptsMost = 8

    /// - Parameter wasLocked: whether somebody, or time, has locked the node since the daemon was started.
    init(hasSlot: Bool, wasLocked: Bool) {
        self.state = !hasSlot ? .none : wasLocked ? .passedOver : .asking
    }

    var isAsking: Bool { self.state == .asking }

    /// Asks anew; throws where the passphrase is needed.
    mutating func begin() throws(RPCError) {
        switch self.state {
        case .none:
            throw .refused(
                "only the passphrase opens this node", reason: "passphraseNeeded",
                remedy: "give the passphrase: stoa unlock")
        case .passedOver:
            throw .refused(
                "after a lock only the passphrase opens this node", reason: "passphraseNeeded",
                remedy: "give the passphrase: stoa unlock")
        case .asking: return
        case .refused: self.state = .asking
        }
    }

    /// Takes up why the keyring did not open the node; gives whether that is news.
    mutating func end(_ refusal: KeyringRefusal) -> Bool {
        defer { self.last = refusal }
        self.state = .refused(refusal)
        return refusal != self.last
    }

    /// In how many milliseconds it is to be asked again by itself; nil where that has no use.
    mutating func pause() -> UInt64? {
        guard case .refused(let refusal) = self.state, refusal != .changed,
            self.attempts < Self.attemptsMost - 1
        else { return nil }
        defer { self.attempts += 1 }
        return 1_000 << UInt64(self.attempts)
    }

    /// What the status says of it.
    var status: StatusMethod.Keyring? {
        switch self.state {
        case .none: nil
        case .passedOver: StatusMethod.Keyring { $0.state = .passedOver }
        case .asking: StatusMethod.Keyring { $0.state = .asking }
        case .refused(let refusal):
            StatusMethod.Keyring {
                $0.state = .refused
                $0.why = refusal.text
                $0.remedy = refusal.remedy
            }
        }
    }
}
