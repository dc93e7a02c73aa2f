internal import Formats

/// What comes in on links: counted, and given to the room that its name says.
extension Node {
    mutating func receiveFrame(_ received: ReceivedFrame, on id: LinkID) {
        // A link that is not yet decided on, or has just ended.
        guard self.links.has(id) else {
            // The link that stays may be dead, and bring none.
            if case .goaway(.shutdown, _) = received.frame,
                let info = self.links.contest.info(of: id)
            {
                self.noteGoodbye(info)
            }
            return self.performContest(self.links.contest.hold(received, on: id))
        }
        if self.links[id].pulse.hear(at: self.now) {
            self.performDialling(self.dialling.trust(self.links[id].info.peer))
        }
        if !self.links.contest.isEmpty, case .pong(let nonce, _) = received.frame {
            let (peer, latest) = (self.links[id].info.peer, self.links[id].pulse.nonce)
            self.performContest(self.links.contest.receivePong(nonce, from: peer, latest: latest))
        }
        guard self.links[id].flow.take(received) else {
            return self.violation(id, "more was sent than the credit allows")
        }
        guard self.isInTime(received, on: id) else {
            return self.violation(id, "control frames come too fast")
        }
        switch received.frame {
        case .liveRun(let run), .syncRun(let run):
            // Credit for what is accepted returns when it is on disk.
            return self.receiveRun(run, received, on: id)
        case .payloads(let payloads):
            return self.receivePayloads(payloads, byteCount: received.byteCount, on: id)
        case .ephemeral(let piece) where self.links.isShared(piece.conversation, on: id):
            self.receiveEphemeral(piece, received.byteCount, on: id)
        case .presence(let presence):
            self.receivePresence(presence, received.byteCount, on: id)
        case .forkProof(let proof) where self.links.isShared(proof.key.conversation, on: id):
            if self.receiveForkProof(proof, on: id) {
                // As that of a run, when it is on disk.
                return self.disk.commits.hold(
                    HeldCredit(link: id, channel: received.channel, byteCount: received.byteCount))
            }
        case .acts, .actHeads, .actWant, .epochKeys:
            if let frame = received.frame, !self.receiveGroupFrame(frame, on: id) {
                return self.disk.commits.hold(
                    HeldCredit(link: id, channel: received.channel, byteCount: received.byteCount))
            }
        case .some(let frame): self.route(frame, on: id)
        case nil: break
        }
        self.consume(received.byteCount, on: received.channel, of: id)
    }

    /// Whether a frame that no credit bounds comes at a pace that one may have; those of credit are bounded by
    /// what was sent.
    private mutating func isInTime(_ received: ReceivedFrame, on id: LinkID) -> Bool {
        guard received.channel == .control else { return true }
        if case .credit = received.frame { return true }
        return self.links[id].control.take(received.byteCount, at: self.now.monotonic)
    }

    private mutating func route(_ frame: Frame, on id: LinkID) {
        switch frame {
        case .ping(let nonce, let clock): self.receivePing(nonce, clock: clock, on: id)
        case .pong(let nonce, let clock):
            self.groups.ponged(nonce, on: id)
            self.receivePong(nonce, clock: clock, on: id)
        case .credit(let channel, let bytes):
            guard self.links[id].flow.earn(bytes, on: channel) else {
                return self.violation(id, "more credit than was ever used")
            }
            self.pump(id)
        case .goaway(let reason, let text): self.receiveGoaway(reason, text, on: id)
        case .realms(let tags): self.receiveRealms(tags, on: id)
        case .rooms(let tag, let names): self.receiveRooms(tag, names, on: id)
        case .shares(let tags): self.receiveShares(tags, on: id)
        case .roomsLeft(let left): self.receiveRoomsLeft(left, on: id)
        case .records(let records): self.receiveRecords(records, on: id)
        case .addresses(let news): self.receiveAddresses(news, on: id)
        case .dialBack(let port): self.receiveDialBack(port, on: id)
        case .device(let step): self.receiveDevice(step, on: id)
        case .handOver(let isLast, let piece):
            self.receiveHandOver(isLast: isLast, piece, on: id)
        case .dialledBack(let outcome): self.receiveDialledBack(outcome, on: id)
        case .liveRun, .syncRun, .payloads:
            preconditionFailure("what is stored is taken before")
        case .payloadWant(let want): self.receivePayloadWant(want, on: id)
        case .blobHoldings(let holdings): self.receiveHoldings(holdings, on: id)
        case .blobWant(let want): self.receiveBlobWant(want, on: id)
        case .blobUnavailable(let number): self.receiveBlobUnavailable(number, on: id)
        case .blobPiece(let piece): self.receivePiece(piece, on: id)
        case .blobAsk(nil, let blob): self.receivePictureAsk(blob, on: id)
        case .want(let want): self.receiveWant(want, on: id)
        // What follows is about a conversation, and dropped where it is not shared.
        case .digest(let conversation, let digest)
        where self.links.isShared(conversation, on: id):
            self.receiveDigest(digest, of: conversation, on: id)
        case .buckets(let conversation, let tags)
        where self.links.isShared(conversation, on: id):
            self.receiveBuckets(tags, of: conversation, on: id)
        case .clock(let conversation, let pages)
        where self.links.isShared(conversation, on: id):
            self.receiveClock(pages, of: conversation, on: id)
        case .delta(let conversation, let rows)
        where self.links.isShared(conversation, on: id):
            self.receiveDelta(rows, of: conversation, on: id)
        case .unavailable(let conversation, let tag, _)
        where self.links.isShared(conversation, on: id):
            self.receiveUnavailable(tag, in: conversation, on: id)
        case .recordClock(let conversation, let rows)
        where self.links.isShared(conversation, on: id):
            self.receiveRecordClock(rows, of: conversation, on: id)
        case .blobAsk(let conversation?, let blob)
        where self.links.isShared(conversation, on: id):
            self.receiveBlobAsk(blob, in: conversation, on: id)
        case .digest, .buckets, .clock, .delta, .unavailable, .recordClock, .forkProof,
            .ephemeral, .presence, .blobAsk:
            break
        case .actHeads, .actWant, .acts, .epochKeys:
            preconditionFailure("frames of groups are taken before")
        // Nobody seals keys yet.
        case .sealedKeys: break
        }
    }

    /// Counts bytes as consumed and gives credit back once it is worth a frame.
    mutating func consume(_ bytes: Int, on channel: Channel, of id: LinkID) {
        // What was stored may have come on a link that has ended since.
        guard self.links.has(id) else { return }
        if let credit = self.links[id].flow.consume(bytes, on: channel) {
            self.send(credit, on: id)
        }
    }

    /// Puts a frame on a link, in order behind what already waits for credit there.
    mutating func send(_ frame: Frame, on link: LinkID) {
        self.sendEncoded(frame.encoded, on: link)
    }

    mutating func sendEncoded(_ frame: EncodedFrame, on link: LinkID) {
        if self.links.isLookDue(sending: frame.bytes.count) { self.endHoarders() }
        switch self.links[link].flow.send(frame) {
        case .now:
            self.actions.append(.send(link, frame))
            self.links[link].large.send(frame.bytes.count)
            // Pings and what answers them go by their own time.
            if frame.channel != .control {
                self.awaitSign(on: link)
            } else if self.links[link].large.isLookDue {
                self.lookSoon()
            }
        case .never: self.links.doom(link, .busy, "the peer does not read what it is sent")
        case .later: break
        }
    }

    /// Lets strangers go who leave so much of what they are sent that the memory of it adds up.
    ///
    /// Each of them is bounded by its credit alone, which is a megabyte for each of a hundred.
    private mutating func endHoarders() {
        let strangers = self.links.ids.filter {
            self.tier(of: self.links[$0].info.peer) < .known && !self.links.isDoomed($0)
        }
        for id in self.links.leavingTooMuch(among: strangers) {
            self.links.doom(
                id, .busy,
                "it does not read what it is sent, and strangers have left too much unread")
        }
    }

    /// Sends what waited for credit, but for what the peer is not to know any longer: meanwhile either may have
    /// left a conversation or a realm.
    mutating func sendWaiting(on id: LinkID) {
        while let waiting = self.links[id].flow.nextWaiting() {
            // Few frames wait, so what they tell is read again and not kept beside them.
            let frame = (try? ReceivedFrame(whole: waiting.bytes))?.frame
            guard let frame, !self.mayTell(frame, on: id) else {
                self.actions.append(.send(id, waiting))
                self.links[id].large.send(waiting.bytes.count)
                continue
            }
            self.links[id].flow.takeBack(waiting)
            guard case .records(let records) = frame else { continue }
            let known = records.filter { self.mayTell($0, on: id) }
            if !known.isEmpty { self.send(.records(known), on: id) }
            // The own profile is told once it may be.
            if records.contains(where: { $0.key == self.ownProfile && !known.contains($0) }) {
                self.links[id].isProfileTold = false
            }
        }
    }

    /// Whether a peer may be told now what a frame says that waited for credit.
    private func mayTell(_ frame: Frame, on id: LinkID) -> Bool {
        switch frame {
        case .digest(let conversation, _), .buckets(let conversation, _),
            .clock(let conversation, _), .delta(let conversation, _),
            .recordClock(let conversation, _), .blobAsk(let conversation?, _):
            self.links.isShared(conversation, on: id)
        case .want(let want), .payloadWant(let want):
            self.links.isShared(want.conversation, on: id)
        case .forkProof(let proof): self.links.isShared(proof.key.conversation, on: id)
        case .actHeads, .actWant, .acts, .epochKeys, .sealedKeys:
            self.mayTellGroup(frame, on: id)
        case .payloads(let payloads):
            payloads.items.isEmpty || self.links.isShared(payloads.conversation, on: id)
        case .records(let records): records.allSatisfy { self.mayTell($0, on: id) }
        case .blobHoldings(let holdings):
            holdings.extent == .nothing
                || self.transfers.uploads.place(of: holdings.blob, on: id) != nil
        // They say nothing of a conversation, or never wait for credit.
        case .ping, .pong, .credit, .goaway, .realms, .rooms, .roomsLeft, .shares, .dialBack,
            .dialledBack, .unavailable, .blobAsk, .blobWant, .blobUnavailable, .blobPiece,
            .ephemeral, .presence, .liveRun, .syncRun, .device, .handOver, .addresses:
            true
        }
    }

    /// Ends a link whose peer broke the protocol, once the event has been handled.
    mutating func violation(_ id: LinkID, _ what: String) {
        let link = self.links[id]
        self.refuse(address: link.address, peer: link.info.peer, what)
        self.links.doom(id, .protocolViolation, what)
    }
}
