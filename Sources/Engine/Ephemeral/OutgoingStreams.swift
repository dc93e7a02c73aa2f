internal import Formats

/// Whom alone a stream is for, on whichever device.
struct StreamMember: Hashable, Sendable {
    /// The device that the user named.
    let device: PeerID
    /// Whose it is, where that was known when the stream was opened.
    let person: PersonID?

    func isAt(_ link: LinkInfo) -> Bool {
        link.peer == self.device || link.certificate.personID == self.person
    }
}

/// The ephemeral streams that programs of the user send: which are open, and how much each may send.
///
/// `Docs/Protocol/Ephemeral.md` section 4.
struct OutgoingStreams: Sendable {
    private struct Open {
        var conversation: ConversationID
        /// Whom alone it is for; nil for all members.
        var member: StreamMember?
        var packet: StreamPacket
    }

    /// What became of a stream that is to be opened.
    enum Opening: Hashable, Sendable {
        case opened
        /// As many are open as may be.
        case tooMany
        /// It can be in so many milliseconds.
        case tooFast(milliseconds: UInt64)
    }

    /// What became of bytes that are to be sent.
    enum Step: Hashable, Sendable {
        /// They are the next packet of a stream in that conversation.
        case packet(ConversationID, StreamPacket)
        /// They would be too much; they fit in so many milliseconds.
        case tooFast(milliseconds: UInt64)
        /// There is no such stream.
        case unknown
    }

    private var open: [UInt64: Open] = [:]
    /// What may be sent in one conversation, whatever the streams.
    private var allowances: [ConversationID: FrameAllowance] = [:]

    /// Opens a stream under a number that is not 0 and that nobody can guess.
    ///
    /// It takes the place of the packet that will tell of its end, so that this can always be sent.
    mutating func open(
        _ number: UInt64, _ name: StreamName, in conversation: ConversationID, isOrdered: Bool,
        for member: StreamMember? = nil, at now: UInt64
    ) -> Opening {
        guard self.open.count < Limits.openStreams, number != 0, self.open[number] == nil else {
            return .tooMany
        }
        let wait = self.allowance(in: conversation, at: now).wait(for: 0, at: now)
        guard wait == 0 else { return .tooFast(milliseconds: wait) }
        self.take(taken: 0, in: conversation, at: now)
        self.open[number] = Open(
            conversation: conversation, member: member,
            packet: StreamPacket(name: name, number: 0, isOrdered: isOrdered))
        return .opened
    }

    /// In which conversation an open stream is, and whom alone it is for; nil where there is none.
    func place(of number: UInt64) -> (conversation: ConversationID, member: StreamMember?)? {
        self.open[number].map { ($0.conversation, $0.member) }
    }

    /// Makes the next packet of a stream.
    mutating func next(_ bytes: [UInt8], of number: UInt64, at now: UInt64) -> Step {
        guard var stream = self.open[number] else { return .unknown }
        let conversation = stream.conversation
        let wait = self.allowance(in: conversation, at: now).wait(for: bytes.count, at: now)
        guard wait == 0 else { return .tooFast(milliseconds: wait) }
        self.take(taken: bytes.count, in: conversation, at: now)
        stream.packet.number += 1
        self.open[number] = stream
        stream.packet.bytes = bytes
        return .packet(conversation, stream.packet)
    }

    /// Ends a stream; gives what tells of it, nil where there is none.
    mutating func close(_ number: UInt64) -> (conversation: ConversationID, end: StreamPacket)? {
        guard var stream = self.open.removeValue(forKey: number) else { return nil }
        stream.packet.number += 1
        stream.packet.isEnd = true
        return (stream.conversation, stream.packet)
    }

    // MARK: How much

    private func allowance(in conversation: ConversationID, at now: UInt64) -> FrameAllowance {
        self.allowances[conversation]
            ?? FrameAllowance(
                bytes: Limits.streamBytesPerSecond, frames: Limits.streamPacketsPerSecond,
                fullMilliseconds: 1_000, at: now)
    }

    /// Takes what is sent beside all streams; how many milliseconds it is too early, 0 where it was taken.
    mutating func take(
        _ byteCount: Int, in conversation: ConversationID, at now: UInt64
    ) -> UInt64 {
        let wait = self.allowance(in: conversation, at: now).wait(for: byteCount, at: now)
        if wait == 0 { self.take(taken: byteCount, in: conversation, at: now) }
        return wait
    }

    private mutating func take(
        taken byteCount: Int, in conversation: ConversationID, at now: UInt64
    ) {
        var allowance = self.allowance(in: conversation, at: now)
        _ = allowance.take(byteCount, at: now)
        // Who has not sent for a second has the whole of it.
        if self.allowances[conversation] == nil {
            self.allowances = self.allowances.filter { !$0.value.isFull(at: now) }
        }
        self.allowances[conversation] = allowance
    }
}
