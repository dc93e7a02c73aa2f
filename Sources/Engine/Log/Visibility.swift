package import Formats

/// What becomes of an entry: whether people see it, and how.
///
/// This is the one rule: the store, the simulator's model of it and the tests all ask here. It
/// depends on the entry's own log and on time alone, never on whether another log's entry is here,
/// so replicas with the same logs and proofs show the same up to every fork. Whether an entry is
/// ahead of time the node says when it arrives (``Append/heldFrom``); when it is due the node says,
/// too (``Batch/release``).
///
/// Whoever sees an entry must also be able to read it: see ``EntryKind``.
package enum Visibility: Hashable, Sendable {
    /// Ahead of time: stored and relayed, neither shown nor followed until it is released.
    ///
    /// A control entry takes effect all the same (``takesEffect``).
    case held
    /// People see it; it has a cursor.
    case shown
    /// It stands at or behind its log's fork point.
    ///
    /// What was shown by then stays so, and is marked; what was not is never shown.
    case disputed(wasShown: Bool)

    /// What becomes of an entry that arrives as number `seq` of its log.
    ///
    /// - Parameters:
    ///   - isAhead: whether its time is too far ahead of *now*.
    ///   - forkPoint: where the log is known to fork; nil where it goes on.
    package init(onArrivalAt seq: UInt64, isAhead: Bool, forkPoint: UInt64?) {
        if let forkPoint, seq >= forkPoint {
            self = .disputed(wasShown: false)
        } else {
            self = isAhead ? .held : .shown
        }
    }

    /// What becomes of it when a proof comes in that its log forks at or before it.
    package var proven: Visibility {
        #if MUTANTS
            if Mutant.leaveForksUnmarked.isActive { return self }
        #endif
        switch self {
        case .held: return .disputed(wasShown: false)
        case .shown: return .disputed(wasShown: true)
        case .disputed: return self
        }
    }

    /// What becomes of it when everything up to its time is released.
    package var released: Visibility {
        switch self {
        case .held, .shown: .shown
        case .disputed: self
        }
    }

    /// Whether what it says takes effect: a control entry does when it comes, whatever its time is;
    /// people see it only when it is due.
    package var takesEffect: Bool { !self.isDisputed }

    /// Whether people see it, marked or not; then it has a cursor.
    package var isShown: Bool {
        switch self {
        case .shown, .disputed(wasShown: true): true
        case .held, .disputed(wasShown: false): false
        }
    }

    /// Whether it stands at or behind its log's fork point.
    package var isDisputed: Bool {
        switch self {
        case .disputed: true
        case .held, .shown: false
        }
    }

    /// Where a log ends by a proof: the smallest proven point counts; nil where it ends there or
    /// before already.
    package static func forkPoint(known: UInt64?, proven: UInt64) -> UInt64? {
        proven < known ?? .max ? proven : nil
    }
}

extension Batch {
    /// Whether a proof ends its log before the appends of this batch are written, not after them.
    ///
    /// A run that begins before the point and reaches beyond it meets a fork that is known; one that
    /// begins behind the point was taken before there was a proof, so its entries count as shown by
    /// then.
    package func isKnownBeforeAppends(_ proof: ForkProof) -> Bool {
        self.appends.allSatisfy {
            $0.run.run.key != proof.key || $0.run.run.first < proof.point
        }
    }
}
