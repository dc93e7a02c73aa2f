internal import Crypto
package import Formats

/// Conversations that are no open rooms: who begins them, and who waits to be let in.
///
/// `Docs/Protocol/Sync.md` section 2.
extension Node {
    // MARK: Asked by the user

    /// The keys of the person whose device this is; nil where they never came here.
    package func keys(of peer: PeerID) -> PublicPerson? {
        if peer == self.id { return self.own.person.publicKeys }
        if let link = self.links.link(with: peer) { return link.info.certificate.keys }
        return self.persons.people.person(of: peer).flatMap { self.persons.people.keys[$0] }
            ?? self.dialling.known[peer]?.person
    }

    /// The direct conversation with somebody, whether or not it has begun; nil while their keys are not
    /// known here.
    package func direct(with peer: PeerID) -> DirectConversation? {
        if let known = self.conversations.privates.direct(at: peer) { return known }
        let person = self.keys(of: peer)
        if let person, let known = self.conversations.privates.direct(with: person.id) {
            return known
        }
        return person.flatMap { try? DirectConversation(of: self.own.person, with: $0, at: peer) }
    }

    /// The direct conversation with somebody that is here; nil where it has not begun.
    package func begunDirect(with peer: PeerID) -> ConversationID? {
        self.direct(with: peer).flatMap { self.isJoinedOrWillBe($0.id) ? $0.id : nil }
    }

    /// Begins the direct conversation with somebody, or accepts theirs: from here on they are known.
    mutating func beginDirect(with peer: PeerID, _ request: RequestID) {
        guard let direct = self.direct(with: peer) ?? self.waitingDirect(of: peer) else {
            return self.answer(request, .failed(.keysUnknown(peer)))
        }
        let isNew = self.conversations.table[direct.id] == nil
        guard !isNew || self.conversations.table.count < Limits.conversations else {
            return self.answer(request, .failed(.tooManyRooms))
        }
        guard self.standing(of: peer) != .blocked else {
            return self.answer(request, .failed(.blocked(peer)))
        }
        // What a backup says of them may be on its way to the disk.
        let isToKnow =
            peer != self.id && self.tier(of: peer) < .known
            && self.disk.commits.standing(of: peer) == nil
        guard !isToKnow || self.hasRoom(for: peer) else {
            return self.answer(request, .failed(.tooManyPeople))
        }
        if isToKnow { self.disk.commits.people[peer] = .known }
        if !self.isJoinedOrWillBe(direct.id) { self.begin(.direct(direct)) }
        self.disk.commits.answers.append((request, .joined(direct.id)))
    }

    /// Enters a secret room, and makes it by being the first.
    mutating func joinSecret(_ room: SecretRoom, _ request: RequestID) {
        guard self.own.realms.contains(room.realm) else {
            return self.answer(request, .failed(.notInRealm))
        }
        guard room.suite.isAvailable else { return self.answer(request, .failed(.cannotSeal)) }
        if self.conversations.table[room.id]?.isJoined == true, self.isJoinedOrWillBe(room.id) {
            return self.answer(request, .joined(room.id))
        }
        guard
            self.conversations.table[room.id] != nil
                || self.conversations.table.count < Limits.conversations
        else { return self.answer(request, .failed(.tooManyRooms)) }
        self.begin(.secret(room))
        self.disk.commits.add(
            Draft(conversation: room.id, content: .join(nil), request: request, outgoing: nil))
    }

    /// Lets somebody in who waits.
    mutating func acceptRequest(of peer: PeerID, _ request: RequestID) {
        guard self.pendingRequest(of: peer) != nil else {
            return self.answer(request, .failed(.noRequest(peer)))
        }
        self.beginDirect(with: peer, request)
    }

    /// Turns somebody down who waits; they are not told.
    mutating func declineRequest(of peer: PeerID, _ request: RequestID) {
        guard var declined = self.pendingRequest(of: peer) else {
            return self.answer(request, .failed(.noRequest(peer)))
        }
        declined.isDeclined = true
        // Who has been turned down is known by their keys; what they wrote is nobody's any longer.
        declined.text = ""
        self.disk.commits.blankRequest(by: declined.device)
        self.disk.commits.choices.declined[declined.person.id] = declined
        self.disk.commits.answers.append((request, .declined(peer)))
    }

    /// Forgets what somebody has written who was not let in; says whether they waited.
    @discardableResult
    mutating func endRequest(of peer: PeerID) -> Bool {
        guard
            let request = self.conversations.requests.all.values.first(where: { $0.device == peer })
        else { return false }
        _ = self.conversations.requests.remove(request.person.id)
        self.disk.commits.endRequest(of: request.person.id, by: peer)
        return !request.isDeclined
    }

    /// Has subscribers told what the user has made of a request.
    mutating func tellDecided(_ peer: PeerID, isAccepted: Bool) {
        self.disk.commits.add([Notice(.decided(peer, isAccepted: isAccepted), at: self.now.wall)])
    }

    private func pendingRequest(of peer: PeerID) -> DirectRequest? {
        self.conversations.requests.pending.first { $0.device == peer }
    }

    /// Who waits to be accepted.
    package var pendingRequests: [DirectRequest] { self.conversations.requests.pending }

    /// How many others wanted to write since the start, for whom there was no room, or is none any longer.
    package var requestsTurnedAway: Int {
        self.conversations.requests.turnedAway + self.groups.requests.turnedAway
    }

    /// What own messages of a conversation wait for; nil where they wait for nothing.
    package func sendWait(in id: ConversationID) -> SendWait? {
        guard self.conversations.table.has(id) else { return nil }
        guard let direct = self.conversations.table[known: id].kind.direct else {
            return self.links.sharing(id).isEmpty ? .nobody : nil
        }
        guard !self.isOwn(direct.person.id) else { return nil }
        let linked = self.links.all.filter { $0.info.certificate.personID == direct.person.id }
        guard !linked.isEmpty else { return self.isHeardOf(direct) ? .indirect : .away }
        let numbers = self.conversations.table[known: id].numbers
        let isTaken = linked.contains { link in
            link.shared[id].map { !$0.refuses(self.id, numbers) } ?? self.isLetIn(id)
        }
        return isTaken ? nil : .unaccepted
    }

    /// Whether the other one of a direct conversation is linked, and will say in a moment whether they let the user
    /// in.
    func isUnsaid(_ id: ConversationID) -> Bool {
        guard let direct = self.conversations.table[id]?.kind.direct,
            !self.isOwn(direct.person.id), !self.isLetIn(id)
        else { return false }
        let numbers = self.conversations.table[known: id].numbers
        let linked = self.links.all.filter { $0.info.certificate.personID == direct.person.id }
        return !linked.isEmpty
            && !linked.contains { $0.shared[id]?.refuses(self.id, numbers) == true }
            && !linked.contains { link in
                guard let sync = link.shared[id] else { return false }
                // Until the first entry is on disk, those who have not let the user in have as much of it.
                return self.conversations.table[known: id].names(of: self.id).contains {
                    sync.seq(of: $0, numbers) > 0
                }
            }
    }

    /// Whether the other one of a direct conversation has ever let the user in.
    ///
    /// They have written in it then, or have had something of it; a link that is new has not said so yet.
    private func isLetIn(_ id: ConversationID) -> Bool {
        let conversation = self.conversations.table[known: id]
        return conversation.authors.contains { !self.isOwnDevice($0) }
            || conversation.names(of: self.id).contains { name in
                self.receipts.marks.positions(of: LogKey(conversation: id, name: name))
                    .contains { !self.isOwnDevice($0.key) && $0.value.stored > 0 }
            }
    }

    /// Whether something has come through others that a person wrote a moment ago, after they were last
    /// linked here.
    private func isHeardOf(_ direct: DirectConversation) -> Bool {
        let devices = self.persons.people.devices(of: direct.person.id).union([direct.device])
        let recent = self.now.wall - min(self.now.wall, Limits.heardOfMilliseconds)
        return self.conversations.table.keys.contains { id in
            !self.links.sharing(id).isEmpty
                && devices.contains { self.conversations.table[known: id].count(of: $0) > 0 }
                && devices.contains { device in
                    let conversation = self.conversations.table[known: id]
                    let since = max(recent, self.dialling.known[device]?.lastSeen ?? 0)
                    return conversation.names(of: device).contains {
                        conversation.log($0).head.time.milliseconds > since
                    }
                }
        }
    }

    // MARK: Beginning

    /// Enters a conversation that needs no entry for that, with the next batch.
    mutating func begin(_ kind: ConversationKind) {
        if self.conversations.table[kind.id] == nil {
            self.conversations.table[kind.id] = Conversation(kind, isJoined: false)
        }
        self.addKeys(of: kind)
        self.conversations.privates.add(kind)
        self.disk.commits.membership[kind.id] = ConversationMembership(kind, isJoined: true)
    }

    /// Lets somebody in who waits, or was declined, and is trusted enough from here on; false where
    /// nobody is let in.
    @discardableResult
    mutating func letIn(_ peer: PeerID, as standing: Standing) -> Bool {
        guard let tier = standing.tier, tier >= .known,
            self.own.configuration.preferences.directFrom.admits(tier),
            let direct = self.waitingDirect(of: peer), !self.isJoinedOrWillBe(direct.id),
            self.conversations.table[direct.id] != nil
                || self.conversations.table.count < Limits.conversations
        else { return false }
        self.begin(.direct(direct))
        return true
    }

    /// Forgets that the user has declined somebody, who asks anew with what was refused.
    mutating func takeBackDecline(of peer: PeerID) {
        let person = self.person(of: peer)
        let declined = self.requests(of: peer, or: person).filter(\.isDeclined)
        for request in declined {
            self.endRequest(of: request.device)
            guard let id = self.conversations.privates.direct(with: request.person.id)?.id,
                self.conversations.table[id]?.isRequest == true
            else { continue }
            self.conversations.table[known: id].askAnew()
            self.shareAnew(id)
            self.announce(id)
        }
    }

    /// What was refused is told of anew, on links that have forgotten what they knew.
    mutating func shareAnew(_ id: ConversationID) {
        for link in self.links.sharing(id) {
            self.sendShares(on: link)
            self.unshare(id, on: link)
        }
    }

    /// What waits of a device, or of a person, in the persons' order.
    private func requests(of peer: PeerID, or person: PersonID?) -> [DirectRequest] {
        self.conversations.requests.all.values.filter {
            $0.device == peer || $0.person.id == person
        }
        .sorted { $0.person.id < $1.person.id }
    }

    /// The conversation that somebody has begun who is not let in; nil where they have begun none.
    private func waitingDirect(of peer: PeerID) -> DirectConversation? {
        let person = self.person(of: peer)
        let request = self.requests(of: peer, or: person).first
        if let known = (request?.person.id ?? person).flatMap({
            self.conversations.privates.direct(with: $0)
        }),
            request != nil || self.conversations.table[known.id]?.isRequest == true
        {
            return known
        }
        return request.flatMap {
            try? DirectConversation(of: self.own.person, with: $0.person, at: $0.device)
        }
    }

    /// A direct conversation is on disk: the peer's side may have waited for that.
    mutating func endRequest(for id: ConversationID) {
        guard let direct = self.conversations.table[known: id].kind.direct else { return }
        if let request = self.conversations.requests.remove(direct.person.id) {
            self.disk.commits.endRequest(of: direct.person.id, by: request.device)
            if !request.isDeclined { self.tellDecided(request.device, isAccepted: true) }
        }
        guard self.conversations.table[known: id].isRequest else { return }
        self.conversations.table[known: id].endRequest()
        self.shareAnew(id)
    }

    /// Leaves the conversation with a person to be forgotten: they have to ask again.
    ///
    /// Its logs stay, without what was said: the own one goes on where it ends once the two write again, and theirs
    /// says what of it is new.
    mutating func leaveDirect(with peer: PeerID) {
        guard let direct = self.direct(with: peer), !self.isOwn(direct.person.id),
            self.isJoinedOrWillBe(direct.id)
        else { return }
        self.disk.commits.membership[direct.id] = ConversationMembership(
            .direct(direct), isJoined: false)
        self.disk.commits.choices.arrange(
            direct.id, ArrangementChange(removing: [.muted, .archived]))
    }

    /// Those who were forgotten and are linked still may ask again.
    mutating func meetForgotten(_ membership: [ConversationID: ConversationMembership]) {
        for case (_, .direct(let direct)) in membership.filter({ !$0.value.isJoined })
            .map({ ($0, $1.kind) }).sorted(by: { $0.0 < $1.0 })
        {
            for link in self.links.ids
            where self.links[link].info.certificate.personID == direct.person.id {
                self.settleShares(on: link)
            }
        }
    }

    // MARK: What peers show

    /// Looks whether the peer shows the conversation with its person, and begins it, too, or takes what
    /// is written there for a request.
    mutating func meetPerson(on id: LinkID) {
        guard let direct = self.directOfPeer(on: id),
            !self.isJoinedOrWillBe(direct.id),
            self.conversations.table[direct.id]?.isRequest != true
        else { return }
        let tags = self.links[id].tags
        guard self.links[id].shares.contains(tags.share(direct.id, by: tags.peer)) else { return }
        // Who was forgotten has to write first, or what was said before would begin it again at once.
        if self.conversations.table[direct.id] != nil {
            self.conversations.table[known: direct.id].beginRequest()
            return self.sendShares(on: id)
        }
        guard self.conversations.table.count < Limits.conversations else {
            return self.conversations.requests.turnAway()
        }
        if self.mayBegin(direct) { return self.begin(.direct(direct)) }
        let source = Source(self.links[id].address)
        guard self.roomForRequest(of: direct.person.id, by: direct.device, from: source) != nil
        else {
            return self.conversations.requests.turnAway()
        }
        self.conversations.table[direct.id] = Conversation(
            .direct(direct), isJoined: false, isRequest: true)
        self.addKeys(of: .direct(direct))
        self.conversations.privates.add(.direct(direct))
        self.sendShares(on: id)
    }

    /// Whether the direct conversation of a peer begins without the user: those of strangers are bounded where
    /// anybody may, and beyond that they are requests.
    private func mayBegin(_ direct: DirectConversation) -> Bool {
        let tier = self.tier(of: direct.device)
        if self.isOwn(direct.person.id) { return true }
        guard self.own.configuration.preferences.directFrom.admits(tier) else { return false }
        if tier >= .known { return true }
        let directs = self.conversations.privates.allDirects
            .filter { self.isJoinedOrWillBe($0.id) }.map(\.device)
        return self.tiers(of: directs).values.count { $0 < .known } < Limits.strangersDirects
    }

    /// Who gives way to what the peer of a link writes first; nil where it is not taken.
    private func roomForRequest(
        of person: PersonID, by peer: PeerID, from source: Source
    ) -> [DirectRequest]? {
        self.conversations.requests.room(
            for: person, from: source.description, at: self.now.wall
        ) {
            let tiers = self.tiers(of: $0.map(\.device) + [peer])
            func claim(
                _ person: PersonID, _ device: PeerID, _ source: Source, _ number: Int64
            ) -> FairShare<PersonID>.Claim {
                FairShare.Claim(
                    key: person, tier: tiers[device] ?? .stranger,
                    comesFirst: self.links.hasPlace(device) || self.isMet(device),
                    source: source, author: device, number: number)
            }
            return [claim(person, peer, source, .max)]
                + $0.map {
                    claim(
                        $0.person.id, $0.device, Source(description: $0.source),
                        Int64(clamping: $0.time))
                }
        }
    }

    /// Whether somebody is in a room in which the user has written.
    private func isMet(_ peer: PeerID) -> Bool {
        self.conversations.table.keys.contains {
            self.conversations.table[known: $0].hasWritten(self.id)
                && self.conversations.table[known: $0].count(of: peer) > 0
        }
    }

    /// The direct conversation with the person at the other end of a link, made once for each.
    private mutating func directOfPeer(on id: LinkID) -> DirectConversation? {
        if let known = self.links[id].direct { return known }
        let info = self.links[id].info
        let direct = try? DirectConversation(
            of: self.own.person, with: info.certificate.keys, at: info.peer)
        self.links[id].direct = direct
        return direct
    }

    private func isOwn(_ person: PersonID) -> Bool { person == self.own.certificate.personID }

    /// Whether nodes at the other end of a link may have part in a conversation at all.
    func concerns(_ kind: ConversationKind, _ id: LinkID) -> Bool {
        switch kind {
        case .room(let room): self.links[id].realms.isCommon(room.realm)
        case .secret(let room): self.links[id].realms.isCommon(room.realm)
        // As two people, members may meet in any realm.
        case .group(let group): self.groups.concerns(group.id, id)
        case .direct(let direct):
            direct.isOf(
                self.links[id].info.certificate.personID, own: self.own.certificate.personID)
        }
    }

    /// Takes of a run what somebody who waits has written first; the rest is refused.
    mutating func receiveRequest(_ run: Run, _ frame: ReceivedFrame, on id: LinkID) {
        let key = run.key
        guard let direct = self.conversations.table[known: key.conversation].kind.direct else {
            preconditionFailure("only two people's conversation waits to be accepted")
        }
        let peer = self.links[id].info.peer
        let person = direct.person.id
        guard key.name.author == peer, self.conversations.requests.all[person] == nil else {
            return self.refuseRequest(key, on: id)
        }
        // Of somebody who was forgotten only what is new asks.
        let log = self.conversations.table[known: key.conversation].log(key.name)
        guard run.last > log.tail.seq else { return }
        guard let verified = run.verified() else {
            return self.violation(id, "forged run of \(peer.shortText)")
        }
        self.readRequestKeys(in: verified, by: direct)
        guard let text = verified.suffix(from: log.tail.seq + 1)?.firstText(by: self.keyring) else {
            // Its opening comes first; but nobody is listened to for ever.
            let isOver = self.conversations.table[known: key.conversation]
                .takeForRequest(frame.byteCount)
            if isOver { return self.refuseRequest(key, on: id) }
            return self.askOn(behind: run, frame, on: id)
        }
        // Whom nobody need accept begins a conversation by writing, also one that was forgotten.
        if log.tail.seq > 0, self.mayBegin(direct) { return self.begin(.direct(direct)) }
        self.request(direct, text, from: Source(self.links[id].address))
        self.refuseRequest(key, on: id)
    }

    /// Somebody whom a site has brought wants to write: the conversation begins, or the user is asked; false for want
    /// of room.
    mutating func ask(_ direct: DirectConversation, _ text: String, from source: Source) -> Bool {
        let isHere = self.conversations.table[direct.id] != nil
        guard isHere || self.conversations.table.count < Limits.conversations else {
            self.conversations.requests.turnAway()
            return false
        }
        if self.mayBegin(direct) {
            self.begin(.direct(direct))
            return true
        }
        return self.request(direct, text, from: source)
    }

    /// Has the user asked whether somebody may write; false for want of room.
    @discardableResult
    private mutating func request(
        _ direct: DirectConversation, _ text: String, from source: Source
    ) -> Bool {
        let (peer, person) = (direct.device, direct.person.id)
        guard let gone = self.roomForRequest(of: person, by: peer, from: source) else {
            self.conversations.requests.turnAway()
            return false
        }
        let request = DirectRequest(
            device: peer, person: direct.person, text: text, time: self.now.wall,
            source: source.description)
        for request in gone {
            self.conversations.requests.turnAway()
            self.endRequest(of: request.device)
        }
        if !gone.isEmpty { self.changed(.requests) }
        self.take(request)
        self.disk.commits.requests.kept[person] = request
        self.disk.commits.add([Notice(.requested(peer, text), of: .stranger, at: self.now.wall)])
        return true
    }

    /// Takes nothing more of a log whose author is not let in.
    ///
    /// What is already here, from before the user forgot them, stays.
    private mutating func refuseRequest(_ key: LogKey, on id: LinkID) {
        self.endFetch(key)
        let numbers = self.conversations.table[known: key.conversation].numbers
        for link in self.links.sharing(key.conversation) {
            self.links[link].shared[known: key.conversation].drop(key.name, numbers)
        }
        self.refuseLog(key, on: id)
    }

    /// Asks for what follows a run that was asked for; what is pushed goes on by itself.
    private mutating func askOn(behind run: Run, _ frame: ReceivedFrame, on id: LinkID) {
        guard frame.channel == .sync else { return }
        let conversation = run.key.conversation
        let tag = self.links[id].tags.log(run.key.name, in: conversation)
        self.endDiscoveries(conversation, on: id) { $0.tag == tag }
        let next = run.last + 1
        self.send(
            .want(
                Want(
                    conversation: conversation, tag: tag, from: next,
                    through: next + Limits.requestIntakeEntries - 1)),
            on: id)
    }

    /// Takes a request, or that one is declined; of those that were, some go where they are too many.
    mutating func take(_ request: DirectRequest) {
        for gone in self.conversations.requests.add(request) {
            self.disk.commits.endRequest(of: gone.person.id, by: gone.device)
        }
    }

    /// Forgets conversations that somebody has shown who is no longer linked and not let in.
    mutating func dropRequests(of link: Link) {
        guard let direct = link.direct, self.conversations.table[direct.id]?.isRequest == true,
            self.links.sharing(direct.id).isEmpty, !self.isJoinedOrWillBe(direct.id)
        else { return }
        // Of somebody who was forgotten the own log stays, which goes on where it ends if they are let in again.
        guard self.conversations.table[known: direct.id].logs.count == 0 else {
            return self.conversations.table[known: direct.id].endRequest()
        }
        self.conversations.table[direct.id] = nil
        self.conversations.directKeys.drop(direct.id)
        self.keyring.remove(direct.id)
        self.conversations.privates.remove(direct)
    }
}
