internal import Formats

/// What the end of a link says of dialling its peer again.
enum LinkEnding: Hashable, Sendable {
    /// Nothing: it is dialled again soon.
    case ended
    /// One side wants no such link: it is dialled again later each time.
    case refused
    /// Neither side needs it: others are dialled first.
    case tried

    /// The reason of a goodbye from either side; nil for one that this version does not know.
    init(_ reason: GoawayReason?) {
        self =
            switch reason {
            case .notNeeded: .tried
            case .shutdown, .duplicate, .dead: .ended
            case .protocolViolation, .identityInUse, .blocked, .storage, .busy, .`self`, nil:
                .refused
            }
    }
}
