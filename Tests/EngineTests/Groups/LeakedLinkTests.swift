import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// One machine of the owner, and a thousand strangers who have the line.
@Suite("A leaked link of a group", .timeLimit(.minutes(5)))
struct LeakedLinkTests {
    private struct Crowd {
        var groups: Groups
        let group: Group
        let line: GroupInvitation
        let owner = personKeys(100, 150)
        let device = signer(50)
        private var number = 0

        init(needsApproval: Bool) throws {
            let certificate = self.owner.certify(self.device, at: 1)
            self.groups = Groups(own: self.owner.id, device: PeerID(self.device.publicKey))
            self.group = Group(
                owner: self.owner.publicKeys, nonce: fixed32(9), realm: .open, history: .all,
                suite: .xchacha20Poly1305, name: room("ops").name)
            let founding = Act(
                .create(self.group), in: self.group.id, basis: [], time: HybridTime(1 << 16),
                certificate: certificate, by: self.device)
            _ = self.groups.stored(self.groups.begin(self.group, with: [founding]))
            let link = GroupLink(key: .zero, expires: nil, needsApproval: needsApproval)
            let made = try self.groups.sign(
                .link(link), in: self.group.id, at: HybridTime(2 << 16),
                by: ActSigner(certificate: certificate, device: self.device))
            _ = self.groups.stored(made)
            let act = try #require(made.acts.last?.id)
            let line = self.groups.invitation(by: act, in: self.group.id, of: self.device)
            self.line = try #require(line)
        }

        /// Another stranger comes; gives how many acts are written for that.
        mutating func come(as tier: Tier = .stranger) throws -> Int {
            self.number += 1
            let keys = PersonKeys.generate()
            let signer = Signer(SigningKey.generate())
            let certificate = keys.certify(signer, at: 1)
            let device = PeerID(signer.publicKey)
            let join = Act(
                .join(
                    self.line.link,
                    proof: GroupLink.proof(
                        of: self.line.link, in: self.group.id, for: keys.id, on: device,
                        by: GroupLink.signer(of: self.line.seed))), in: self.group.id,
                basis: [self.line.link], time: HybridTime(3 << 16), certificate: certificate,
                by: signer)
            var info = LinkInfo(to: device)
            info.certificate = certificate
            let link = LinkID(UInt64(self.number))
            self.groups.linked(link, info)
            let actions = self.groups.receive(
                .acts(self.group.id, [join]), on: link, as: tier, at: 4)
            self.groups.unlinked(link)
            var count = 0
            for case .write(let writes) in actions { count += writes.acts.count }
            return count
        }
    }

    // Shows: daemon.group-links
    @Test("brings in 200 people at most, and keeps nothing of all others")
    func open() throws {
        var crowd = try Crowd(needsApproval: false)
        var taken = 0
        for _ in 0..<(Limits.groupMembers + 20) { taken += try crowd.come() }
        #expect(taken == Limits.groupMembers - 1)
    }

    // Shows: daemon.group-links
    @Test(
        "that needs approval keeps 32 strangers waiting, and leaves room for people whom the user knows"
    )
    func approved() throws {
        var crowd = try Crowd(needsApproval: true)
        var taken = 0
        for _ in 0..<1_000 { taken += try crowd.come() }
        #expect(taken == 32)
        let known = try crowd.come(as: .known)
        #expect(known == 1)
    }

    // Shows: daemon.group-links
    @Test("brings in nobody whose join another device has signed, or who shows several")
    func others() throws {
        var crowd = try Crowd(needsApproval: false)
        let keys = personKeys(7, 8)
        let (here, elsewhere) = (signer(7), signer(9))
        var info = LinkInfo(to: PeerID(here.publicKey))
        info.certificate = keys.certify(here, at: 1)
        crowd.groups.linked(LinkID(1), info)
        func join(by device: Signer, _ link: ActID) -> Act {
            let proof = GroupLink.proof(
                of: link, in: crowd.group.id, for: keys.id, on: PeerID(device.publicKey),
                by: GroupLink.signer(of: crowd.line.seed))
            return Act(
                .join(link, proof: proof), in: crowd.group.id, basis: [crowd.line.link],
                time: HybridTime(3 << 16), certificate: keys.certify(device, at: 1), by: device)
        }
        let foreign = join(by: elsewhere, crowd.line.link)
        let unknown = join(by: here, ActID(fixed32(5)))
        let good = join(by: here, crowd.line.link)
        for acts in [[foreign], [unknown, good], [good, foreign], [unknown]] {
            let actions = crowd.groups.receive(.acts(crowd.group.id, acts), on: LinkID(1), at: 4)
            #expect(!actions.contains { if case .write = $0 { true } else { false } })
        }
        let actions = crowd.groups.receive(.acts(crowd.group.id, [good]), on: LinkID(1), at: 4)
        #expect(actions.contains { if case .write = $0 { true } else { false } })
    }

    @Test("is looked at for one peer 16 times on a link")
    func often() throws {
        var crowd = try Crowd(needsApproval: true)
        var info = LinkInfo(to: PeerID(signer(7).publicKey))
        let keys = personKeys(7, 8)
        info.certificate = keys.certify(signer(7), at: 1)
        crowd.groups.linked(LinkID(1), info)
        var answers = 0
        for number in 0..<UInt64(2 * Limits.joinsOfLink) {
            let join = Act(
                .join(crowd.line.link, proof: .zero), in: crowd.group.id,
                basis: [crowd.line.link], time: HybridTime((3 + number) << 16),
                certificate: info.certificate, by: signer(7))
            answers +=
                crowd.groups.receive(.acts(crowd.group.id, [join]), on: LinkID(1), at: 4)
                .count
        }
        #expect(answers == Limits.joinsOfLink)
    }
}
