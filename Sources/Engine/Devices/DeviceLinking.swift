internal import Crypto
internal import Formats

/// What ``DeviceLinking`` wants done, in order.
enum DeviceAction: Hashable, Sendable {
    case perform(Action)
    case send(DeviceStep, LinkID)
}

/// The other end of a link, as linking devices sees it.
struct DevicePeer: Hashable, Sendable {
    let link: LinkID
    let info: LinkInfo
    let source: Source
    /// Whether it is known or in a common realm.
    let isTrusted: Bool
}

/// How a machine becomes another device of a person, on both sides: the *new* device, of which there is
/// one linking at a time, and the *old* one.
///
/// Nothing is handed over before both users have typed what the other device shows, and then only on the
/// link on which both have seen the same code. `Docs/Protocol/Wire.md`, "Linking a device".
struct DeviceLinking: Sendable {
    /// A linking that this device's user began.
    private struct Joining {
        enum Phase {
            case committed(RequestID)
            /// The code is shown; the user is to type the other's digits.
            case shown(DeviceCode)
            /// They were right: the other device hands over.
            case ready(RequestID)
        }

        let peer: DevicePeer
        let nonce: Bytes32
        var phase: Phase
        var until: UInt64
    }

    /// A linking that a peer began.
    private struct Offer {
        let commitment: Bytes32
        let nonce: Bytes32
        /// Nil until the peer has shown its nonce.
        var code: DeviceCode?
        let until: UInt64
    }

    /// A code that the user has typed before the step came that makes it.
    private struct Typed {
        let code: String
        let request: RequestID
        let until: UInt64
    }

    private let own: PeerID
    /// This device's E.
    private let address: Bytes32
    private var joining: Joining?
    /// What has come of what the other device hands over.
    private var arrived: [UInt8] = []
    private var offers: [LinkID: Offer] = [:]
    /// The peer whose code this device's user has typed.
    private var approved: (peer: DevicePeer, until: UInt64)?
    /// How many beginnings of each source were answered since when.
    private var answered: [Source: (count: Int, since: UInt64)] = [:]
    private var strangers = (count: 0, since: UInt64(0))
    private var typed: Typed?
    /// When this device's user typed wrong digits.
    private var wrong: [UInt64] = []
    /// What is being handed over, and how far it is sent.
    private var handing: (link: LinkID, bytes: [UInt8], sent: Int)?

    init(own: PeerID, address: Bytes32) {
        self.own = own
        self.address = address
    }

    // MARK: The new device

    /// The user wants this machine to be a device of the person whose device a peer is.
    mutating func begin(
        with peer: DevicePeer, nonce: Bytes32, _ request: RequestID, at now: Instant
    ) -> [DeviceAction] {
        let until = now.monotonic + Limits.deviceAnswerMilliseconds
        let wanted = self.drop(.replaced, tells: .cancelled)
        self.joining = Joining(
            peer: peer, nonce: nonce, phase: .committed(request), until: until)
        let commitment = DeviceCode.commitment(to: nonce, of: self.own, address: self.address)
        return wanted + [
            .send(.commit(commitment), peer.link), .perform(.arm(.devices, at: until)),
        ]
    }

    /// The user types the digits that the old device shows.
    mutating func confirm(
        _ check: String, _ request: RequestID, at now: Instant
    ) -> [DeviceAction] {
        guard var joining, case .shown(let code) = joining.phase else {
            return [.answer(request, .noLinking)]
        }
        if let failure = self.tryFailure(at: now) { return [.answer(request, failure)] }
        guard check == code.check else {
            self.wrong.append(now.monotonic)
            let left = Limits.deviceTries - self.wrong.count
            guard left == 0 else { return [.answer(request, .wrongDigits(left: left))] }
            self.joining = nil
            return [
                .send(.end(.cancelled), joining.peer.link), self.timer,
                .answer(request, .wrongDigits(left: 0)),
            ]
        }
        joining.phase = .ready(request)
        self.joining = joining
        self.arrived = []
        return [.send(.ready, joining.peer.link)]
    }

    /// A piece of what the old device hands over; gives all of it once it is complete, with whoever
    /// handed it over.
    mutating func receive(
        _ piece: [UInt8], isLast: Bool, on link: LinkID
    ) -> (bytes: [UInt8], giver: LinkInfo, request: RequestID)? {
        guard let joining, joining.peer.link == link,
            case .ready(let request) = joining.phase
        else { return nil }
        self.arrived += piece
        let isTooLarge = self.arrived.count > HandOver.limitBytes
        guard isLast || isTooLarge else { return nil }
        defer { self.arrived = [] }
        self.joining = nil
        return (isTooLarge ? [] : self.arrived, joining.peer.info, request)
    }

    /// The time of what is under way may be over.
    mutating func wake(at now: Instant) -> [DeviceAction] {
        var wanted: [DeviceAction] = []
        if let typed, now.monotonic >= typed.until { wanted += self.endTyped(at: now) }
        if let joining, now.monotonic >= joining.until {
            return wanted + self.drop(.silent, tells: .cancelled)
        }
        return self.joining == nil && self.typed == nil ? wanted : wanted + [self.timer]
    }

    /// Wakes this once something is due.
    private var timer: DeviceAction {
        let next = [self.joining?.until, self.typed?.until].compactMap(\.self).min()
        return .perform(next.map { .arm(.devices, at: $0) } ?? .disarm(.devices))
    }

    /// Ends what this device's user began.
    private mutating func drop(
        _ failure: DeviceFailure, tells end: DeviceStep.End?
    ) -> [DeviceAction] {
        guard let joining = self.joining.take() else { return [] }
        self.arrived = []
        var wanted = [self.timer]
        if let end { wanted.append(.send(.end(end), joining.peer.link)) }
        switch joining.phase {
        case .committed(let request), .ready(let request):
            wanted.append(.answer(request, failure))
        case .shown: break
        }
        return wanted
    }

    // MARK: The old device

    /// The user has typed what another device shows.
    mutating func approve(
        _ code: String, _ peers: [DevicePeer], _ request: RequestID, at now: Instant
    ) -> [DeviceAction] {
        let wanted = self.endTyped(at: now)
        if let failure = self.tryFailure(at: now) { return wanted + [.answer(request, failure)] }
        self.typed = Typed(
            code: code, request: request, until: now.monotonic + Limits.deviceOpenMilliseconds)
        for peer in peers {
            let found = self.matchTyped(with: peer, at: now)
            guard found.isEmpty else { return wanted + found }
        }
        // The new device shows its code at once: the step that makes it here may still be on its way.
        let isAnyOpening = self.offers.values.contains {
            $0.code == nil && now.monotonic < $0.until
        }
        return wanted + (isAnyOpening ? [self.timer] : self.endTyped(at: now))
    }

    /// Lets a peer be the new device, whose code the user has typed; nothing where it is another one.
    private mutating func matchTyped(with peer: DevicePeer, at now: Instant) -> [DeviceAction] {
        guard let typed, let offer = self.offers[peer.link], now.monotonic < offer.until,
            let code = offer.code, code.code == typed.code
        else { return [] }
        self.typed = nil
        self.offers[peer.link] = nil
        self.approved = (peer, now.monotonic + Limits.deviceLinkMilliseconds)
        return [.perform(.answer(typed.request, .deviceCheck(code.check, peer.info.peer)))]
    }

    /// No machine shows the code that was typed.
    private mutating func endTyped(at now: Instant) -> [DeviceAction] {
        guard let typed = self.typed.take() else { return [] }
        self.wrong.append(now.monotonic)
        let left = Limits.deviceTries - self.wrong.count
        return [.answer(typed.request, .wrongCode(left: left))]
    }

    /// This device cannot certify any more: an approval that the user has given or is giving ends.
    mutating func endApproval() -> [DeviceAction] {
        var wanted: [DeviceAction] = []
        if let approved = self.approved.take() {
            wanted.append(.send(.end(.cancelled), approved.peer.link))
        }
        if let typed = self.typed.take() {
            wanted += [.answer(typed.request, .noPersonKey), self.timer]
        }
        return wanted
    }

    /// The shell has put together what an approved device is handed.
    mutating func handOver(_ bytes: [UInt8], on link: LinkID) {
        self.handing = (link, bytes, 0)
    }

    /// The next piece for a link; nil where there is none.
    func nextPiece(on link: LinkID) -> Frame? {
        guard let handing, handing.link == link else { return nil }
        let end = min(handing.sent + Limits.handOverPieceBytes, handing.bytes.count)
        return .handOver(
            isLast: end == handing.bytes.count, Array(handing.bytes[handing.sent..<end]))
    }

    /// That piece was sent; whether it was the last one.
    mutating func sentPiece() -> Bool {
        guard var handing = self.handing.take() else { return false }
        handing.sent = min(handing.sent + Limits.handOverPieceBytes, handing.bytes.count)
        guard handing.sent < handing.bytes.count else {
            handing.bytes.wipe()
            return true
        }
        self.handing = handing
        return false
    }

    // MARK: Both

    /// A peer takes a step; one that is not due is not answered.
    ///
    /// - Parameter nonce: a fresh one where a peer begins.
    mutating func receive(
        _ step: DeviceStep, from peer: DevicePeer, nonce: Bytes32, at now: Instant
    ) -> [DeviceAction] {
        switch step {
        case .commit(let commitment):
            guard self.mayAnswer(peer, at: now) else { return [.send(.end(.tooMany), peer.link)] }
            let offer = Offer(
                commitment: commitment, nonce: nonce, code: nil,
                until: now.monotonic + Limits.deviceLinkMilliseconds)
            self.offers[peer.link] = offer
            return [.send(.nonce(offer.nonce), peer.link)]
        case .nonce(let nonce): return self.receiveNonce(nonce, on: peer.link, at: now)
        case .open(let nonce):
            guard let offer = self.offers[peer.link], offer.code == nil else { return [] }
            let (new, address) = (peer.info.peer, peer.info.certificate.deviceAddress)
            guard
                offer.commitment == DeviceCode.commitment(to: nonce, of: new, address: address)
            else {
                self.offers[peer.link] = nil
                return [.send(.end(.cancelled), peer.link)]
            }
            self.offers[peer.link]?.code = DeviceCode(
                exporter: peer.info.exporter, newNonce: nonce, oldNonce: offer.nonce, new: new,
                old: self.own, address: address)
            return self.matchTyped(with: peer, at: now)
        case .ready:
            guard let approved, approved.peer.link == peer.link, now.monotonic < approved.until
            else { return [] }
            self.approved = nil
            return [
                .perform(
                    .handOver(
                        peer.link, peer.info.peer,
                        deviceAddress: approved.peer.info.certificate.deviceAddress))
            ]
        case .end(let end):
            self.offers[peer.link] = nil
            if self.approved?.peer.link == peer.link { self.approved = nil }
            guard self.joining?.peer.link == peer.link else { return [] }
            return self.drop(end == .tooMany ? .refused : .silent, tells: nil)
        }
    }

    private mutating func receiveNonce(
        _ nonce: Bytes32, on link: LinkID, at now: Instant
    ) -> [DeviceAction] {
        guard var joining, joining.peer.link == link, case .committed(let request) = joining.phase
        else { return [] }
        let code = DeviceCode(
            exporter: joining.peer.info.exporter, newNonce: joining.nonce, oldNonce: nonce,
            new: self.own, old: joining.peer.info.peer, address: self.address)
        joining.phase = .shown(code)
        joining.until = now.monotonic + Limits.deviceLinkMilliseconds
        self.joining = joining
        return [
            .send(.open(joining.nonce), link), .perform(.arm(.devices, at: joining.until)),
            .perform(.answer(request, .deviceCode(code.code, joining.peer.info.peer))),
        ]
    }

    /// A link has ended.
    mutating func linkEnded(_ link: LinkID) -> [DeviceAction] {
        self.offers[link] = nil
        if self.approved?.peer.link == link { self.approved = nil }
        if self.handing?.link == link { self.handing = nil }
        return self.joining?.peer.link == link ? self.drop(.unlinked, tells: nil) : []
    }

    /// Whether a peer's beginning is answered; counts it.
    private mutating func mayAnswer(_ peer: DevicePeer, at now: Instant) -> Bool {
        let hour = Limits.deviceTryMilliseconds
        self.answered = self.answered.filter { now.monotonic - $0.value.since < hour }
        if now.monotonic - self.strangers.since >= hour { self.strangers = (0, now.monotonic) }
        let (count, since) = self.answered[peer.source] ?? (0, now.monotonic)
        // Where strangers have used up theirs, each source still has an equal share, so that nobody keeps the user out.
        let share = max(1, Limits.deviceOffersOfStrangers / max(1, self.answered.count))
        guard count < Limits.deviceOffersPerSource,
            count > 0 || self.answered.count < Limits.deviceOfferSources,
            peer.isTrusted || self.strangers.count < Limits.deviceOffersOfStrangers
                || count < share
        else { return false }
        self.answered[peer.source] = (count + 1, since)
        if !peer.isTrusted { self.strangers.count += 1 }
        return true
    }

    /// Why the user may type nothing now.
    private mutating func tryFailure(at now: Instant) -> DeviceFailure? {
        let hour = Limits.deviceTryMilliseconds
        self.wrong.removeAll { now.monotonic - $0 >= hour }
        guard self.wrong.count >= Limits.deviceTries, let first = self.wrong.first else {
            return nil
        }
        return .triesSpent(milliseconds: first + hour - now.monotonic)
    }
}

extension DeviceAction {
    fileprivate static func answer(_ request: RequestID, _ failure: DeviceFailure) -> DeviceAction {
        .perform(.answer(request, .failed(.device(failure))))
    }
}
