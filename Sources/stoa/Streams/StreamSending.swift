import ControlAPI

/// One sending of a durable stream that is received: whose, and how much of it has come.
struct StreamSending: Equatable {
    /// The sender's key.
    var peer: String
    /// Tells the sender's sendings apart.
    var session: Int64
    /// How many bytes have come.
    var bytes: Int64 = 0

    /// What to do with a piece.
    enum Verdict: Equatable {
        /// Write it; the sending is this one from here on, or has ended where that is nil.
        case write(StreamSending?)
        /// Leave it out: it is of another sending, while this one is under way.
        case another
        /// Leave it out: what stands before it has not come.
        case beginningMissed
    }

    /// Why nothing more can be made whole.
    enum Fault: Error, Equatable {
        /// Bytes of the sending are missing: of so many, the next that came begin there.
        case missing(after: Int64, next: Int64)
        /// The same sender has begun another sending, and this one has no end.
        case begunAnew
    }

    /// Judges a piece behind what has come; nil for the sending where none is under way.
    static func judge(
        _ piece: StreamPieceEvent, behind sending: StreamSending?
    ) throws(Fault) -> Verdict {
        let (peer, session) = (piece.peer.shown, piece.session)
        let offset = piece.offset
        if let sending, sending.peer != peer { return .another }
        if let sending, sending.session != session {
            guard offset == 0 else { return .another }
            throw .begunAnew
        }
        guard sending != nil || offset == 0 else { return .beginningMissed }
        let before = sending?.bytes ?? 0
        guard offset == before else { throw .missing(after: before, next: offset) }
        let bytes = before + Int64(piece.data.bytes.count)
        return .write(
            piece.end == true ? nil : StreamSending(peer: peer, session: session, bytes: bytes))
    }
}
