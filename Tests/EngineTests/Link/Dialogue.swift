import Crypto

@testable import Engine
@testable import Formats

/// Two sessions back to back, with somebody between them who may change what passes.
struct Dialogue: ~Copyable {
    enum Side: Hashable {
        case initiator
        case responder
    }

    static let ada = SessionIdentity(signer: signer(1), boot: 0xa0, listenPort: 4_242)
    static let bea = SessionIdentity(signer: signer(2), boot: 0xb0, listenPort: nil)

    var initiator: Session
    var responder: Session
    /// What each side has said of what it received.
    private(set) var events: [Side: [SessionEvent]] = [:]
    /// How many bytes of each side have passed.
    private(set) var passed: [Side: Int] = [:]

    /// Ada dials Bea, each with these secrets.
    init(
        expecting: PeerID? = nil, ofInitiator: [RealmSecret] = [.open],
        ofResponder: [RealmSecret] = [.open]
    ) {
        let ada = SessionIdentity(
            signer: Self.ada.signer, boot: 0xa0, listenPort: 4_242, realms: ofInitiator)
        let bea = SessionIdentity(
            signer: Self.bea.signer, boot: 0xb0, listenPort: nil, realms: ofResponder)
        let keyOfInitiator = keyPair(0x11)
        let keyOfResponder = keyPair(0x21)
        self.initiator = Session(
            initiator: ada, static: keyOfInitiator, expecting: expecting, dial: 7)
        self.responder = Session(responder: bea, static: keyOfResponder)
    }

    /// Carries bytes to and fro until neither side has more to say.
    ///
    /// `change` sees what one side says at a time, with its place in all that this side has said.
    mutating func run(
        portion: Int = .max, change: (Side, Int, [UInt8]) -> [UInt8] = { _, _, bytes in bytes }
    ) {
        while self.initiator.hasOutput || self.responder.hasOutput {
            for side in [Side.initiator, .responder] {
                let said =
                    side == .initiator
                    ? self.initiator.output(limit: 100_000)
                    : self.responder.output(limit: 100_000)
                let place = self.passed[side] ?? 0
                self.passed[side] = place + said.count
                self.deliver(change(side, place, said), from: side, portion: portion)
            }
        }
    }

    /// Hands bytes to the other side, so many at a time.
    mutating func deliver(_ bytes: [UInt8], from side: Side, portion: Int = .max) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = rest.prefix(portion)
            rest = rest.dropFirst(next.count)
            switch side {
            case .initiator:
                self.events[.responder, default: []] += self.responder.receive(next)
            case .responder:
                self.events[.initiator, default: []] += self.initiator.receive(next)
            }
        }
    }

    /// What a side was told of its link.
    func info(_ side: Side) -> LinkInfo? {
        for case .established(let info) in self.events[side] ?? [] { return info }
        return nil
    }

    /// Why a side gave up.
    func failure(_ side: Side) -> SessionFailure? {
        for case .failed(let failure) in self.events[side] ?? [] { return failure }
        return nil
    }

    /// The frames that a side received.
    func frames(_ side: Side) -> [Frame?] {
        (self.events[side] ?? []).compactMap { event -> Frame?? in
            if case .received(let frame) = event { .some(frame.frame) } else { nil }
        }
    }
}
