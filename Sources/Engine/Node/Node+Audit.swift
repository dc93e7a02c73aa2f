package import Formats

/// What a node believes, for a simulator that knows better.
package struct NodeAudit: Sendable {
    /// The committed head of each log, and the fork point where one is proven.
    package var logs: [LogKey: (head: Head, point: UInt64?)] = [:]
    /// Questions to peers and to the store that are not answered yet, in words.
    package var open: [String] = []
}

extension Node {
    /// How many entries of each log of a conversation this node says to have.
    package func claims(in conversation: ConversationID) -> [LogName: UInt64] {
        Dictionary(
            uniqueKeysWithValues: (self.conversations.table[conversation]?.logs ?? Table())
                .map { ($0, $1.head.seq) })
    }

    /// Up to which entry of each log of a conversation this node says to have all payloads, where it
    /// does not say so of the whole log.
    package func wholes(in conversation: ConversationID) -> [LogName: UInt64] {
        var wholes: [LogName: UInt64] = [:]
        for (name, log) in self.conversations.table[conversation]?.logs ?? Table() {
            wholes[name] = log.whole
        }
        return wholes
    }

    /// Whether the node has part in a conversation: it has joined it, or has left it and does not know yet
    /// that others know.
    package func hasPart(in conversation: ConversationID) -> Bool {
        self.conversations.table[conversation]?.isShared ?? false
    }

    /// Whether a peer was given credit for a run that is still on its way to the disk.
    ///
    /// What a link has taken in and not credited back is never less than what is under way of it.
    package var hasCreditedEarly: Bool {
        var underWay: [LinkID: [Channel: Int]] = [:]
        for run in self.disk.commits.underWay {
            guard let link = run.link else { continue }
            underWay[link, default: [:]][run.channel, default: 0] += run.byteCount
        }
        return underWay.contains { link, channels in
            channels.contains { channel, bytes in
                self.links.find(link).map { $0.flow.uncredited(on: channel) < bytes } ?? false
            }
        }
    }

    /// What this node believes to be on its disk of a log; nil where it knows nothing of it.
    package func believed(of key: LogKey) -> (head: Head, point: UInt64?)? {
        guard self.conversations.table.has(key.conversation) else { return nil }
        let log = self.conversations.table[known: key.conversation].logs[key.name]
        return log.map { ($0.head, $0.forkPoint) }
    }

    /// What this node believes to be on its disk and under way.
    package var audit: NodeAudit {
        var audit = NodeAudit()
        for (id, conversation) in self.conversations.table {
            for (name, log) in conversation.logs {
                audit.logs[LogKey(conversation: id, name: name)] = (log.head, log.forkPoint)
            }
        }
        let wants = self.links.all.reduce(0) { $0 + $1.wants.open }
        let discoveries = self.links.all.reduce(0) { count, link in
            count + link.shared.values.reduce(0) { $0 + $1.unknown.discoveries.count }
        }
        if wants != self.catchUp.fetching.count + discoveries {
            audit.open.append(
                "\(wants) wants for \(self.catchUp.fetching.count) fetches and \(discoveries) new")
        }
        let counts: [String: Int] = [
            "fetches": self.catchUp.fetching.count, "discoveries": discoveries,
            "fork searches": self.catchUp.forkSearches.count, "reads": self.disk.reads.count,
            "requests in line": self.disk.requestLine.count,
            "deliveries": self.receipts.waits.count,
            "payload questions": self.catchUp.payloadWants.openCount,
            "expiries": self.disk.commits.expiries.count,
            "drafts": self.disk.commits.drafts.count, "live runs": self.disk.commits.live.count,
            "sync runs": self.disk.commits.sync.count,
            "challengers": self.links.contest.challengers.count,
            "served wants": self.links.all.reduce(0) { $0 + $1.service.serving.count },
            "served payload wants": self.links.all.count { $0.service.payloads != nil },
            "waiting frames": self.links.all.reduce(0) { $0 + $1.flow.outbox.count },
            "parts of files under way": self.transfers.downloads.underWay,
            "parts of files to be sent": self.transfers.uploads.owed,
        ]
        for (what, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
            audit.open.append("\(count) \(what)")
        }
        return audit
    }
}

extension Node {
    /// The first queue or table that is larger than ``Limits`` allow, in words; nil where none is.
    package var excess: String? {
        var found = Excess()
        found.check(
            self.links.count, self.own.configuration.linkBudget.links + 2 * Limits.trialLinks,
            "links")
        found.check(self.links.contest.challengers.count, Limits.links, "challengers")
        found.check(self.dialling.targets.count, Limits.targets, "targets")
        found.check(self.conversations.table.count, Limits.conversations, "conversations")
        found.check(self.alerts.refusals.count, Limits.refusals, "refusals")
        found.check(self.disk.commits.drafts.count, Limits.waitingDrafts, "drafts")
        for challenger in self.links.contest.challengers.values {
            found.check(challenger.bytes, Limits.heldBytesOfLink, "held frames")
        }
        for id in self.conversations.table.keys {
            found.check(
                self.conversations.table[known: id].logs.count, Limits.logsPerConversation, "logs")
        }
        var bytes = self.disk.commits.live.byteCount
        for accepted in self.disk.commits.sync { bytes += accepted.byteCount }
        for arrival in self.disk.commits.arrivals { bytes += arrival.byteCount }
        // Each link's credit bounds what it brings; some links may have ended meanwhile.
        found.check(bytes, 4 * Limits.initialCredit * (self.links.count + 1), "bytes for the disk")
        for id in self.links.ids { self.links[id].check(&found) }
        let early = self.links.all.reduce(0) { $0 + $1.earlyRecords.byteCount }
        found.check(early, Limits.earlyRecordBytes, "bytes of early records")
        if !self.transfers.downloads.isEmpty || !self.transfers.uploads.isEmpty {
            for bound in self.transfers.downloads.bounds + self.transfers.uploads.bounds {
                found.check(bound.count, bound.limit, bound.what)
            }
            // One is told of what comes, and no other.
            found.check(
                self.transfers.uploads.untoldCount, Limits.openDownloads, "files to be told of")
        }
        return found.text
    }
}

extension Link {
    /// Notes what of a link is larger than its limit; a function of the link, so that none is copied.
    fileprivate func check(_ found: inout Excess) {
        found.check(self.shares.count, Limits.conversations, "shares of a link")
        found.check(self.rooms.count, Limits.roomsPerPeer, "rooms of a link")
        found.check(self.flow.waitingBytes, Limits.outboxBytes, "what waits on a link")
        found.check(self.awaited.count, Limits.awaitedTags, "awaited logs of a link")
        found.check(self.service.serving.count, Limits.wantsPerLink, "served wants of a link")
        found.check(self.wants.open, Limits.wantsPerLink, "wants of a link")
        found.check(self.earlyRecords.count, Limits.earlyRecords, "early records of a link")
        found.check(
            self.service.owedRecords.count, 2 * Limits.owedRecords, "records a link is owed")
        for key in self.shared.keys {
            let unknown = self.shared[known: key].unknown
            found.check(unknown.count, Limits.logsPerConversation, "unknown logs of a link")
            found.check(
                self.shared[known: key].owed.count, Limits.logsPerConversation,
                "what a link is owed")
            found.check(
                unknown.discoveries.count, Limits.discoveriesPerLink, "discoveries of a link")
        }
    }

    /// The first log that is fed and lags, of which not all was given: `head` says how long it is.
    fileprivate func behind(
        _ head: (ConversationID, LogName) -> UInt64
    ) -> (log: LogKey, from: UInt64, through: UInt64)? {
        for conversation in self.shared.keys {
            for (name, fed) in self.shared[known: conversation].fed {
                let head = head(conversation, name)
                guard fed < head else { continue }
                let key = LogKey(conversation: conversation, name: name)
                if !self.service.lagging.contains(key) { return (key, fed + 1, head) }
            }
        }
        return nil
    }
}

extension Node {
    /// An own log of which a peer is pushed what is new, and lags, and would not be sent the rest;
    /// nil where there is none.
    package var forgottenLog: String? {
        for id in self.links.ids {
            let behind = self.links[id].behind { conversation, name in
                self.conversations.table[known: conversation].log(name).head.seq
            }
            guard let behind else { continue }
            return "entries \(behind.from) to \(behind.through) of a log of this node "
                + "for \(self.links[id].info.peer)"
        }
        return nil
    }
}

/// The first count that is above its limit.
private struct Excess {
    private(set) var text: String?

    mutating func check(_ count: Int, _ limit: Int, _ what: String) {
        if count > limit && self.text == nil { self.text = "\(count) \(what), not \(limit)" }
    }
}
