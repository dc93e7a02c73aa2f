import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Linking a device")
struct DeviceLinkingTests {
    /// One side of a link between two machines.
    private struct Side {
        let signer: Signer
        var linking: DeviceLinking

        init(_ number: UInt8) {
            self.signer = testSigner(number)
            self.linking = DeviceLinking(
                own: PeerID(self.signer.publicKey),
                address: DeviceAddress.publicKey(of: self.signer))
        }

        var id: PeerID { PeerID(self.signer.publicKey) }

        /// As the other end of a link sees it, whose two ends alone know a byte.
        func seen(on link: UInt64 = 1, exporter: UInt8 = 5, at host: String = "192.0.2.1")
            -> DevicePeer
        {
            let bytes = [UInt8](repeating: exporter, count: 64)
            var info = LinkInfo(to: self.id, exporter: Bytes64(bytes) ?? .zero)
            info.certificate = personKeys(60, 61).certify(self.signer, at: 1)
            return DevicePeer(
                link: LinkID(link), info: info, source: Source("\(host):4100"), isTrusted: false)
        }
    }

    private var new = Side(11)
    private var old = Side(12)
    private var now = Instant(monotonic: 1_000, wall: 1_000_000)
    private static let begin = RequestID(1)
    private static let confirm = RequestID(2)
    private static let approve = RequestID(3)

    private static func answers(_ actions: [DeviceAction]) -> [Answer] {
        actions.compactMap {
            if case .perform(.answer(_, let answer)) = $0 { answer } else { nil }
        }
    }

    private static func steps(_ actions: [DeviceAction]) -> [DeviceStep] {
        actions.compactMap { if case .send(let step, _) = $0 { step } else { nil } }
    }

    private static func failure(_ actions: [DeviceAction]) -> DeviceFailure? {
        if case .failed(.device(let failure))? = Self.answers(actions).first {
            failure
        } else {
            nil
        }
    }

    private static func code(_ actions: [DeviceAction]) throws -> String {
        guard case .deviceCode(let code, _)? = Self.answers(actions).first else {
            throw CancellationError()
        }
        return code
    }

    private static func check(_ actions: [DeviceAction]) throws -> String {
        guard case .deviceCheck(let check, _)? = Self.answers(actions).first else {
            throw CancellationError()
        }
        return check
    }

    /// Takes the first steps, up to the code that the new device shows.
    private mutating func showCode() throws -> String {
        let committed = self.new.linking.begin(
            with: self.old.seen(), nonce: fixed32(1), Self.begin, at: self.now)
        let nonce = self.old.linking.receive(
            try #require(Self.steps(committed).last), from: self.new.seen(), nonce: fixed32(2),
            at: self.now)
        let opened = self.new.linking.receive(
            try #require(Self.steps(nonce).first), from: self.old.seen(), nonce: .zero, at: self.now
        )
        let none = self.old.linking.receive(
            try #require(Self.steps(opened).first), from: self.new.seen(), nonce: .zero,
            at: self.now)
        #expect(none.isEmpty)
        return try Self.code(opened)
    }

    private mutating func approve(_ code: String) -> [DeviceAction] {
        self.old.linking.approve(code, [self.new.seen()], Self.approve, at: self.now)
    }

    @Test(
        "both type the digits of the other; only then is anything handed over, once, on that link")
    func whole() throws {
        var test = self
        let code = try test.showCode()
        #expect(code.count == 8)
        // Who asks too early gets nothing.
        #expect(
            test.old.linking.receive(.ready, from: test.new.seen(), nonce: .zero, at: test.now)
                .isEmpty)
        let check = try Self.check(test.approve(code))
        #expect(check.count == 4)
        // Nor does another link.
        let other = Side(13).seen(on: 2)
        #expect(test.old.linking.receive(.ready, from: other, nonce: .zero, at: test.now).isEmpty)
        let ready = test.new.linking.confirm(check, Self.confirm, at: test.now)
        #expect(Self.steps(ready) == [.ready])
        let address = DeviceAddress.publicKey(of: test.new.signer)
        #expect(
            test.old.linking.receive(.ready, from: test.new.seen(), nonce: .zero, at: test.now)
                == [.perform(.handOver(LinkID(1), test.new.id, deviceAddress: address))])
        #expect(
            test.old.linking.receive(.ready, from: test.new.seen(), nonce: .zero, at: test.now)
                .isEmpty)

        // It goes in pieces, and is taken on that link alone.
        let bytes = [UInt8](repeating: 7, count: Limits.handOverPieceBytes + 9)
        test.old.linking.handOver(bytes, on: LinkID(1))
        #expect(test.old.linking.nextPiece(on: LinkID(2)) == nil)
        #expect(test.new.linking.receive([1], isLast: true, on: LinkID(2)) == nil)
        var taken: [UInt8]?
        for isLast in [false, true] {
            guard case .handOver(isLast, let piece)? = test.old.linking.nextPiece(on: LinkID(1))
            else {
                Issue.record("there is no piece")
                return
            }
            taken = test.new.linking.receive(piece, isLast: isLast, on: LinkID(1))?.bytes
            #expect(test.old.linking.sentPiece() == isLast)
        }
        #expect(taken == bytes)
        #expect(test.new.linking.receive([1], isLast: true, on: LinkID(1)) == nil)
    }

    @Test("a code that is typed before the new device's last step is here waits for it two seconds")
    func typedEarly() throws {
        var test = self
        let committed = test.new.linking.begin(
            with: test.old.seen(), nonce: fixed32(1), Self.begin, at: test.now)
        let nonce = test.old.linking.receive(
            try #require(Self.steps(committed).last), from: test.new.seen(), nonce: fixed32(2),
            at: test.now)
        let opened = test.new.linking.receive(
            try #require(Self.steps(nonce).first), from: test.old.seen(), nonce: .zero, at: test.now
        )
        let code = try Self.code(opened)
        let due = test.now.monotonic + Limits.deviceOpenMilliseconds
        #expect(test.approve(code) == [.perform(.arm(.devices, at: due))])
        // One that nobody shows is refused only then.
        var other = test
        other.now.monotonic = due
        #expect(Self.failure(other.old.linking.wake(at: other.now)) == .wrongCode(left: 2))
        let answered = test.old.linking.receive(
            try #require(Self.steps(opened).first), from: test.new.seen(), nonce: .zero,
            at: test.now)
        #expect(try Self.check(answered).count == 4)
        test.now.monotonic = due
        #expect(test.old.linking.wake(at: test.now).isEmpty)
    }

    @Test("nothing is taken before the user has typed the digits")
    func early() throws {
        var test = self
        #expect(test.new.linking.receive([1], isLast: true, on: LinkID(1)) == nil)
        _ = try test.showCode()
        #expect(test.new.linking.receive([1], isLast: true, on: LinkID(1)) == nil)
    }

    // Shows: device.between
    @Test("who stands between two devices shows each of them another code")
    func between() throws {
        // The same nonces, as the one in the middle might choose them, on two links.
        let (new, old, middle) = (Side(11), Side(12), Side(13))
        func code(_ one: Side, _ other: Side, _ exporter: UInt8) -> DeviceCode {
            let bytes = [UInt8](repeating: exporter, count: 64)
            return DeviceCode(
                exporter: Bytes64(bytes) ?? .zero, newNonce: fixed32(1), oldNonce: fixed32(2),
                new: one.id, old: other.id, address: DeviceAddress.publicKey(of: one.signer))
        }
        #expect(code(new, middle, 5).code != code(middle, old, 6).code)
        #expect(code(new, old, 5).code != code(new, old, 6).code)
        #expect(code(new, old, 5) == code(new, old, 5))

        // It cannot open another nonce than the one to which it is committed, once it knows the other's.
        var linking = old.linking
        let commitment = DeviceCode.commitment(
            to: fixed32(1), of: middle.id, address: DeviceAddress.publicKey(of: middle.signer))
        let now = Instant(monotonic: 1, wall: 1)
        _ = linking.receive(.commit(commitment), from: middle.seen(), nonce: fixed32(2), at: now)
        let opened = linking.receive(.open(fixed32(9)), from: middle.seen(), nonce: .zero, at: now)
        #expect(opened == [.send(.end(.cancelled), LinkID(1))])
        #expect(
            linking.receive(.open(fixed32(1)), from: middle.seen(), nonce: .zero, at: now).isEmpty)
        // Nor may the commitment be that of somebody else.
        _ = linking.receive(.commit(commitment), from: new.seen(), nonce: fixed32(2), at: now)
        let foreign = linking.receive(.open(fixed32(1)), from: new.seen(), nonce: .zero, at: now)
        #expect(foreign == [.send(.end(.cancelled), LinkID(1))])
    }

    @Test("a wrong code may be typed three times an hour, also beside other machines that wait")
    func tries() throws {
        var test = self
        let code = try test.showCode()
        let wrong = code == "00000000" ? "00000001" : "00000000"
        for left in [2, 1, 0] {
            #expect(Self.failure(test.approve(wrong)) == .wrongCode(left: left))
        }
        #expect(
            Self.failure(test.approve(code))
                == .triesSpent(milliseconds: Limits.deviceTryMilliseconds))
        test.now.monotonic += Limits.deviceTryMilliseconds
        let again = try test.showCode()
        _ = try Self.check(test.approve(again))
    }

    @Test("the new device ends the linking when wrong digits were typed three times")
    func wrongDigits() throws {
        var test = self
        let check = try Self.check(test.approve(try test.showCode()))
        let wrong = check == "0000" ? "0001" : "0000"
        var last: [DeviceAction] = []
        for left in [2, 1, 0] {
            last = test.new.linking.confirm(wrong, Self.confirm, at: test.now)
            #expect(Self.failure(last) == .wrongDigits(left: left))
        }
        #expect(Self.steps(last) == [.end(.cancelled)])
        #expect(
            Self.failure(test.new.linking.confirm(check, Self.confirm, at: test.now)) == .noLinking)
        // The old one forgets it, too.
        _ = test.old.linking.receive(
            .end(.cancelled), from: test.new.seen(), nonce: .zero, at: test.now)
        #expect(
            test.old.linking.receive(.ready, from: test.new.seen(), nonce: .zero, at: test.now)
                .isEmpty)
    }

    @Test("ends after ten minutes on both sides, and after ten seconds without an answer")
    func late() throws {
        var test = self
        let code = try test.showCode()
        test.now.monotonic += Limits.deviceLinkMilliseconds
        #expect(Self.failure(test.approve(code)) == .wrongCode(left: 2))
        #expect(Self.steps(test.new.linking.wake(at: test.now)) == [.end(.cancelled)])
        #expect(
            Self.failure(test.new.linking.confirm("1234", Self.confirm, at: test.now)) == .noLinking
        )

        let approved = try Self.check(test.approve(try test.showCode()))
        test.now.monotonic += Limits.deviceLinkMilliseconds
        #expect(approved.count == 4)
        #expect(
            test.old.linking.receive(.ready, from: test.new.seen(), nonce: .zero, at: test.now)
                .isEmpty)

        _ = test.new.linking.begin(
            with: test.old.seen(), nonce: fixed32(3), Self.begin, at: test.now)
        test.now.monotonic += Limits.deviceAnswerMilliseconds
        #expect(Self.failure(test.new.linking.wake(at: test.now)) == .silent)
    }

    @Test("ends with its link, and when the user begins another one")
    func ended() throws {
        var test = self
        let code = try test.showCode()
        #expect(test.old.linking.linkEnded(LinkID(1)).isEmpty)
        #expect(Self.failure(test.approve(code)) == .wrongCode(left: 2))
        _ = test.new.linking.begin(
            with: test.old.seen(), nonce: fixed32(3), Self.begin, at: test.now)
        let other = test.new.linking.begin(
            with: Side(13).seen(on: 2), nonce: fixed32(4), RequestID(9), at: test.now)
        #expect(Self.failure(other) == .replaced)
        #expect(Self.failure(test.new.linking.linkEnded(LinkID(2))) == .unlinked)
    }

    @Test(
        "is begun a few times an hour by one host, and by strangers together no oftener than guessing allows, but never kept from a new host"
    )
    func bounds() {
        var test = self
        var answered = 0
        for number in 0..<300 {
            var isAnswered = false
            for _ in 0..<20 {
                let peer = test.new.seen(on: UInt64(number), at: "198.51.100.\(number)")
                let said = Self.steps(
                    test.old.linking.receive(
                        .commit(fixed32(1)), from: peer, nonce: fixed32(2), at: test.now))
                if case .nonce? = said.first {
                    answered += 1
                    isAnswered = true
                } else {
                    #expect(said == [.end(.tooMany)])
                }
            }
            #expect(isAnswered, "host \(number)")
        }
        #expect(answered >= Limits.deviceOffersOfStrangers)
        #expect(answered < 2 * Limits.deviceOffersOfStrangers)
        // Who is in a common realm is not kept out by strangers.
        let stranger = test.new.seen(on: 900, at: "203.0.113.1")
        let fellow = DevicePeer(
            link: stranger.link, info: stranger.info, source: stranger.source, isTrusted: true)
        let said = test.old.linking.receive(
            .commit(fixed32(1)), from: fellow, nonce: fixed32(2), at: test.now)
        #expect(Self.steps(said) == [.nonce(fixed32(2))])
    }

    @Test(
        "what is handed over holds X and a certificate, and never P; what is not meant for a device is refused"
    )
    func content() throws {
        let person = personKeys(40, 41)
        let handOver = HandOver(
            certificate: person.certify(self.new.signer, at: 9), person: person, realms: [],
            contacts: Contacts(profile: Profile(name: "Ada", status: "")))
        let bytes = handOver.encoded
        let seed = [UInt8](repeating: 40, count: 32)
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: seed) })
        let read = try HandOver(decoding: bytes)
        #expect(read.person.id == person.id && !read.person.canCertify)
        #expect(read.certificate == handOver.certificate && read.contacts == handOver.contacts)
        let giver = person.certify(self.old.signer, at: 3)
        #expect(read.isMeant(for: self.new.signer, by: giver))
        #expect(!read.isMeant(for: self.old.signer, by: giver))
        #expect(
            !read.isMeant(
                for: self.new.signer, by: personKeys(1, 2).certify(self.old.signer, at: 3)))
        // Each byte of the certificate and of the key counts.
        for index in 1..<1 + Certificate.byteCount + 32 {
            var changed = bytes
            changed[index] ^= 8
            let other = try? HandOver(decoding: changed)
            #expect(other?.isMeant(for: self.new.signer, by: giver) != true, "byte \(index)")
        }
    }
}

/// The signer of a number, where a property has that name.
private func testSigner(_ number: UInt8) -> Signer { signer(number) }
