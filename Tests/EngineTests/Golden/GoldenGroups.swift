import Crypto
import Testing

@testable import Engine
@testable import Formats

/// The acts of `groups-2.txt`, made by this implementation.
struct GoldenGroups {
    /// Somebody who acts, on one device.
    struct Member {
        let device: Signer
        let keys: PersonKeys
        let certificate: Certificate

        var id: PersonID { self.keys.id }
        var peer: PeerID { PeerID(self.device.publicKey) }
    }

    let ada: Member
    let bea: Member
    let cyn: Member
    /// The key of the links.
    let line = signer(0x4c)
    private(set) var acts: [String: Act] = [:]
    private(set) var lines: [String: [UInt8]] = [:]
    private let group: Group
    private var last = ActID(.zero)

    init(_ story: GoldenStory) {
        self.ada = Member(
            device: story.ada, keys: personKeys(0xa1, 0xa2), certificate: story.certificateOfAda)
        self.bea = Member(
            device: story.bea, keys: personKeys(0xb1, 0xb2), certificate: story.certificateOfBea)
        let device = signer(3)
        self.cyn = Member(
            device: device, keys: personKeys(0xd1, 0xd2),
            certificate: Certificate(
                device: PeerID(device.publicKey), deviceAddress: keyPair(0xd3).publicKey,
                address: keyPair(0xd2).publicKey, added: GoldenStory.milliseconds + 2,
                by: signer(0xd1)))
        self.group = Self.group(
            "ops", of: self.ada, in: .open, history: .all, suite: .xchacha20Poly1305)
        self.write(story)
        for (name, act) in self.acts {
            self.lines["act.\(name)"] = act.encoded
            self.lines["actID.\(name)"] = act.id.hash.bytes
        }
        self.lines["group.ops"] = self.group.id.hash.bytes
        self.writeKeys()
        self.writeFrames()
        self.writeInvitations(story)
        self.writeBodies()
    }

    private static func group(
        _ name: String, of owner: Member, in realm: RealmID, history: Group.History,
        suite: ConversationKey.Suite
    ) -> Group {
        guard let name = RoomName(name) else { preconditionFailure("a name is due") }
        return Group(
            owner: owner.certificate.keys, nonce: fixed32(0x6e), realm: realm, history: history,
            suite: suite, name: name)
    }

    private func act(
        _ kind: ActKind, by member: Member, in group: ConversationID? = nil,
        after basis: [ActID], _ time: HybridTime
    ) -> Act {
        Act(
            kind, in: group ?? self.group.id, basis: basis, time: time,
            certificate: member.certificate, by: member.device)
    }

    /// The next act of the history.
    private mutating func then(_ name: String, _ member: Member, _ kind: ActKind) {
        let time = GoldenStory.time(UInt64(self.acts.count), 0)
        let act = self.act(kind, by: member, after: [self.last], time)
        self.acts[name] = act
        self.last = act.id
    }

    private func time(_ after: UInt64) -> HybridTime { GoldenStory.time(after, 0) }

    private mutating func write(_ story: GoldenStory) {
        let longest = Self.group(
            String(repeating: "\u{10428}", count: 63) + "\u{307e}", of: self.ada,
            in: story.circle.realm, history: .joined, suite: .aes256GCM)
        self.lines["group.longest"] = longest.id.hash.bytes
        let founding = self.act(.create(self.group), by: self.ada, after: [], self.time(0))
        self.acts["create"] = founding
        self.acts["create.longest"] = self.act(
            .create(longest), by: self.ada, in: longest.id, after: [], self.time(0))
        self.last = founding.id
        self.then("add", self.ada, .add(self.bea.id))
        self.then("admin", self.ada, .admin(self.bea.id, 256))
        self.then("link", self.bea, .link(GroupLink(key: self.line.publicKey)))
        let link = self.last
        self.then(
            "link.all", self.bea,
            .link(
                GroupLink(
                    key: self.line.publicKey, expires: GoldenStory.milliseconds + 604_800_000,
                    needsApproval: true)))
        self.then("endLink", self.bea, .endLink(self.last))
        let proof = GroupLink.proof(
            of: link, in: self.group.id, for: self.cyn.id, on: self.cyn.peer, by: self.line)
        let join = self.act(
            .join(link, proof: proof), by: self.cyn, after: [link],
            self.time(UInt64(self.acts.count)))
        self.acts["join"] = join
        let tie = self.act(
            .tie, by: self.bea, after: [self.last, join.id], self.time(UInt64(self.acts.count)))
        self.acts["tie"] = tie
        self.last = tie.id
        self.writeEnds()
    }

    private mutating func writeEnds() {
        self.then("remove", self.bea, .remove(self.cyn.id, seen: []))
        let removal = self.last
        var seen = (0..<UInt64(7)).map {
            LogPosition(
                log: LogName(author: self.bea.peer, incarnation: $0), seq: 1 << (7 * $0 + 1))
        }
        seen.append(
            LogPosition(
                log: LogName(author: self.bea.peer, incarnation: .max), seq: 1 << 63 - 2))
        self.then("remove.seen", self.ada, .remove(self.bea.id, seen: seen))
        self.then("accept", self.ada, .accept(removal))
        self.then("demote", self.ada, .demote(self.bea.id))
        self.then("leave", self.bea, .leave)
        let cut = Act(
            cutting: self.bea.peer, number: GoldenStory.milliseconds, in: self.group.id,
            basis: [self.last], time: self.time(20), by: self.bea.keys)
        self.acts["cut"] = cut
        self.acts["cut.stands"] = Act(
            cutting: self.bea.peer, number: GoldenStory.milliseconds + 1, stands: true,
            in: self.group.id, basis: [self.last, cut.id], time: self.time(21), by: self.bea.keys)
        self.acts["cut.first"] = Act(
            cutting: self.bea.peer, number: 0, in: ConversationID(.zero), basis: [],
            time: HybridTime(0), by: self.bea.keys)
        self.acts["tie.64"] = self.act(
            .tie, by: self.ada, after: (1...64).map { ActID(fixed32($0)) }, HybridTime(.max))
        // Only a later version writes it.
        if let bytes = GoldenFile.lines["act.tie.unknownEven"],
            let act = try? Act(decoding: bytes)
        {
            self.acts["tie.unknownEven"] = act
        }
    }

    // MARK: Keys and what carries them

    static let key = fixed32(0x6b)

    private func id(_ name: String) -> ActID {
        guard let act = self.acts[name] else { preconditionFailure("no act \(name)") }
        return act.id
    }

    var announcement: EpochAnnouncement {
        EpochAnnouncement(
            of: Self.key, in: self.group.id, by: self.ada.peer,
            basis: [self.id("tie"), self.id("endLink")],
            people: [self.ada.id, self.bea.id, self.cyn.id])
    }

    /// The key, for bea's device.
    var sealedKey: SealedKey {
        var random = RepeatedByte(byte: 0x2a)
        let key = EpochKey(id: self.announcement.id, key: Self.key)
        guard
            let sealed = SealedKey(
                key, of: self.group.id, to: self.bea.peer,
                at: self.bea.certificate.deviceAddress, by: self.ada.device, using: &random)
        else { preconditionFailure("bea's device has an address") }
        return sealed
    }

    /// The acts of the group, ascending.
    private var ids: [ActID] {
        self.acts.values.filter { $0.group == self.group.id }.map(\.id).sorted()
    }

    private mutating func writeKeys() {
        let announcement = self.announcement
        self.lines["epoch.id"] = announcement.id.bytes
        self.lines["epoch.people"] = announcement.people.bytes
        self.lines["actSet"] = ActID.digest(of: self.ids, in: self.group.id).bytes
    }

    private mutating func writeFrames() {
        let (group, ids) = (self.group.id, self.ids)
        let acts = ["create", "cut"].compactMap { self.acts[$0] }
        let frames: [String: Frame] = [
            "actHeads": .actHeads(
                ActHeads(
                    group: group, digest: ActID.digest(of: ids, in: group),
                    heads: Array(ids.prefix(2)))),
            "actHeads.none": .actHeads(
                ActHeads(group: group, digest: ActID.digest(of: [], in: group), heads: [])),
            "actHeads.64": .actHeads(
                ActHeads(
                    group: group, digest: .zero, heads: (1...64).map { ActID(fixed32($0)) })),
            "actWant": .actWant(
                ActWant(group: group, wanted: [ids[0]], heads: Array(ids[1..<3]))),
            "actWant.all": .actWant(ActWant(group: group, wanted: [ids[0]], heads: [])),
            "acts": .acts(group, acts),
            "epochKeys": .epochKeys(
                group,
                [
                    EpochKey(id: .zero, key: .zero),
                    EpochKey(id: self.announcement.id, key: Self.key),
                ]),
            "sealedKeys": .sealedKeys(group, [self.sealedKey]),
        ]
        for (name, frame) in frames { self.lines["frame.\(name)"] = frame.encoded.bytes }
    }

    private mutating func writeInvitations(_ story: GoldenStory) {
        for (line, realm, name) in [
            ("group", RealmID.open, "ops"), ("group.circle", story.circle.realm, "caf\u{e9}"),
        ] {
            guard let name = RoomName(name) else { preconditionFailure("a name is due") }
            let invitation = GroupInvitation(
                name: name, realm: realm, group: self.group.id, link: self.id("link"),
                seed: fixed32(0x4c))
            self.lines["invitation.\(line)"] = Array(invitation.line.utf8)
        }
    }

    private mutating func writeBodies() {
        let people = [self.ada.id, self.bea.id, self.cyn.id].sorted()
        let calls: [String: CallEntry?] = [
            "call": CallEntry(
                .answered, seconds: 300, people: people.prefix(1), fallback: "call, 5 min"),
            "call.missed": CallEntry(
                .missed, seconds: 0, people: people, fallback: "missed call"),
            "call.longest": CallEntry(
                .failed, seconds: .max, people: (1...64).map { PersonID(fixed32($0)) },
                fallback: String(repeating: "a", count: Limits.fallbackBytes)),
        ]
        for (name, call) in calls { self.lines[name] = call.map { [2] + Content.call($0).body } }
        let owns: [String: OwnEntry?] = [
            "own": OwnEntry(
                set: 1, item: Array("item".utf8), value: Array("value".utf8),
                replacing: [1, 2].map { EntryID(fixed32($0)) }),
            "own.out": OwnEntry(set: .max, item: Array("i".utf8), isIn: false),
            "own.longest": OwnEntry(
                set: 0, item: [UInt8](repeating: 0, count: Limits.ownItemBytes),
                value: [UInt8](repeating: 0, count: Limits.ownValueBytes),
                replacing: (1...64).map { EntryID(fixed32($0)) }),
        ]
        for (name, own) in owns { self.lines[name] = own.map { [1] + Content.own($0).body } }
    }
}
