internal import Blobs
internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Several devices of one person: what the shell does for it.
extension NodeShell {
    // MARK: The new device

    /// How many candidates an error names.
    private static let candidates = 8

    /// Begins to become another device of whoever's device a linked peer is.
    func linkDevice(_ person: String?, _ reply: Reply) throws(RPCError) {
        try self.checkUnused()
        let peer =
            if let person { try self.person(person, for: .look) } else { try self.onlyPeer() }
        self.request(.linkDevice(peer), reply)
    }

    /// The only linked peer.
    private func onlyPeer() throws(RPCError) -> PeerID {
        let linked = self.node.ask { $0.linkedPeers }
        guard let only = linked.first else {
            throw .refused(
                "no other device is linked with this one", reason: "noCandidate",
                remedy:
                    "run stoad on your other device in the same network, and look for it here: stoa peers"
            )
        }
        guard linked.count == 1 else {
            let named = linked.prefix(Self.candidates).map { "@\($0.shortText)" }
            throw .refused(
                "\(linked.count) peers are linked: \(named.joined(separator: ", "))",
                reason: "severalCandidates",
                remedy:
                    "name your other device: stoa device link @KEY; there, stoa status shows its key"
            )
        }
        return only
    }

    /// Takes what the other device hands over, if these are the digits that it shows.
    func confirmDevice(_ check: String, _ reply: Reply) throws(RPCError) {
        try self.checkUnused()
        let digits = check.filter(\.isNumber)
        self.request(
            .confirmDevice(check: digits),
            PendingRequest(
                reply,
                then: .handedOver { bytes in
                    do throws(RPCError) { try self.take(bytes, reply) } catch { reply.fail(error) }
                }))
    }

    /// Becomes the person's device with the next start.
    private func take(_ bytes: [UInt8], _ reply: Reply) throws(RPCError) {
        // Somebody may have joined a room meanwhile, as who this was.
        try self.checkUnused()
        guard let handOver = try? HandOver(decoding: bytes) else {
            preconditionFailure("the node has decoded it")
        }
        try self.checkRealms(of: handOver.realms)
        let pending = PendingRestore(in: self.configuration.dataDirectory, self.birth.safe)
        self.workers.common.run { () -> SystemError? in
            do throws(SystemError) { try pending.keep(handOver) } catch {
                return error
            }
            return nil
        } then: { failure in
            self.turn {
                if let failure {
                    return reply.fail(
                        .storageFailed(failure.reason, remedy: failure.remedy ?? ""))
                }
                // Somebody may have written meanwhile, as who this was.
                do throws(RPCError) {
                    try self.checkUnused()
                    try self.checkRealms(of: handOver.realms)
                } catch {
                    pending.drop()
                    return reply.fail(error)
                }
                let content = BackupContent(
                    handOver.person.id, handOver.realms, handOver.contacts, at: self.now.wall)
                reply.answer(DeviceLinkMethod.Result { $0.content = content })
                self.log(.notice, "this device is now one of \(content.person): restarting")
                self.stop(then: .restart)
            }
        }
    }

    // MARK: The old device

    func approveDevice(
        _ params: DeviceApproveMethod.Params, _ reply: Reply
    ) throws(RPCError) {
        guard self.holdsPersonKey else { throw RPCError(DeviceFailure.noPersonKey) }
        let code = params.code.filter { $0 != " " }
        guard code.utf8.count == 8, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidParams(
                "a code has eight digits", reason: "badParam",
                remedy: "type the digits that the new device shows",
                details: [JSON.Member("param", "code")])
        }
        guard params.withoutBackup == true || BackupMark(in: self.configuration.dataDirectory).isSet
        else {
            throw .refused(
                "there is no backup of your identity: if this machine is lost, you can never add or "
                    + "revoke a device again",
                reason: "noBackup",
                remedy: "make one first (stoa backup FILE), or go on without: "
                    + "stoa device approve \(code) --yes")
        }
        self.request(.approveDevice(code: code), reply)
    }

    /// Puts together what a device is handed that the user has approved.
    func handOver(_ link: LinkID, to peer: PeerID, _ address: Bytes32) {
        let contacts = self.node.ask { $0.contacts }
        guard let blob = contacts.profile.picture?.blob else {
            return self.handOver(contacts, link, to: peer, address)
        }
        self.onFiles { (files) async throws(BlobFailure) in
            try await files.read(.chunk(0), of: blob)
        } then: { result in
            var contacts = contacts
            // The device is better linked without it than not at all.
            if case .success(let content?) = result { contacts.picture = content }
            self.handOver(contacts, link, to: peer, address)
        }
    }

    private func handOver(
        _ contacts: Contacts, _ link: LinkID, to peer: PeerID, _ address: Bytes32
    ) {
        let person = self.birth.identity.person
        // The user may have taken it away since they approved.
        guard person.canCertify else {
            return self.log(
                .notice, "device @\(peer.shortText) gets nothing: the person's key is not here")
        }
        let handOver = HandOver(
            certificate: person.certify(peer, deviceAddress: address, at: self.now.wall),
            person: person, realms: self.ownRealms, contacts: contacts)
        self.log(.notice, "device @\(peer.shortText) is approved")
        self.turn { self.happened(.handOver(link, handOver.encoded)) }
    }

    /// What clients are told of one of the user's devices.
    func deviceResult(_ device: OwnDevice) -> DeviceResult {
        let approves = self.holdsPersonKey
        return DeviceResult {
            $0.id = device.id.description
            $0.name = device.name.isEmpty ? nil : device.name
            $0.here = device.isHere
            $0.linked = device.isLinked
            $0.approves = device.isHere ? approves : nil
            $0.lastSeen =
                device.isHere || device.lastSeen == 0 ? nil : Timestamp(clamping: device.lastSeen)
            $0.revoked = device.revoked.map { Timestamp(clamping: $0) }
        }
    }

    /// - Parameter unasked: the names of members who could not be asked before it was revoked.
    func answerDevice(_ device: PeerID, unasked: [String] = [], _ reply: Reply) {
        guard let found = self.node.ask({ $0.ownDevices }).first(where: { $0.id == device }) else {
            preconditionFailure("a device that was revoked or named is listed")
        }
        var result = self.deviceResult(found)
        result.unasked = unasked.isEmpty ? nil : unasked
        reply.answer(result)
    }
}

/// A file without content that says that this person's keys are in a backup.
struct BackupMark {
    private static let name = "backup.made"
    private let path: String

    init(in dataDirectory: String) { self.path = "\(dataDirectory)/\(Self.name)" }

    var isSet: Bool { Files.exists(self.path) }

    /// Without it, the user is asked once too often.
    func set() { try? Files.writeAtomically([], to: self.path, mode: 0o600) }

    func clear() { try? Files.remove(self.path) }
}

extension RPCError {
    init(_ failure: DeviceFailure) {
        self =
            switch failure {
            case .unlinked:
                .refused(
                    "the other device is not linked with this one", reason: "unlinked",
                    remedy: "see stoa peers; connect to it if it is missing: stoa connect HOST")
            case .silent:
                .refused(
                    "the other device does not answer, or took too long", reason: "silent",
                    remedy:
                        "see that it runs the same version of Stoa, and begin again: stoa device link"
                )
            case .refused:
                .refused(
                    "the other device was asked too often", reason: "askedTooOften",
                    remedy: "try again in an hour")
            case .replaced:
                .refused(
                    "another linking was begun on this device", reason: "replaced",
                    remedy: "use the newer code")
            case .noLinking:
                .refused(
                    "no linking is under way here", reason: "noLinking",
                    remedy: "begin one: stoa device link")
            case .wrongDigits(let left):
                .refused(
                    "these are not the digits that the other device shows", reason: "wrongDigits",
                    remedy: left == 0
                        ? "the linking has ended; try again in an hour: stoa device link"
                        : "look again; \(left) \(left == 1 ? "try is" : "tries are") left")
            case .wrongCode(let left):
                .refused(
                    "no machine linked with this one shows this code", reason: "wrongCode",
                    remedy: left == 0
                        ? "try again in an hour"
                        : "compare it with the new device, or begin again there: stoa device link; if the "
                            + "right code is refused again, somebody may be between the two; "
                            + "\(left) \(left == 1 ? "try is" : "tries are") left")
            case .triesSpent(let milliseconds):
                .refused(
                    "wrong digits were typed three times", reason: "triesSpent",
                    remedy: "try again in \(milliseconds / 60_000 + 1) minutes")
            case .forged:
                .refused(
                    "what the other device has sent is not for this one", reason: "forged",
                    remedy: "begin again, and name the right device: stoa device link @KEY")
            case .noPersonKey:
                .refused(
                    "this device does not hold your person's key, so it can neither approve nor revoke devices",
                    reason: "noPersonKey",
                    remedy:
                        "do it on a device that does, or bring the key here from a backup: "
                        + "stoa device promote FILE"
                )
            case .notOwn(let peer):
                .refused(
                    "@\(peer.shortText) is not another device of yours", reason: "notOwnDevice",
                    remedy: "see stoa device list")
            case .onlyOne:
                .refused(
                    "this is your only device, and a name tells devices apart",
                    reason: "onlyDevice", remedy: "link another one first: stoa device link")
            }
    }
}
