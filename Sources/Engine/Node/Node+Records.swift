internal import Crypto

/// Records: the own profile, and what peers tell of others.
///
/// `Docs/Protocol/Sync.md` section 7.
extension Node {
    mutating func setProfile(_ profile: Profile, request: RequestID?) {
        var time = HybridTime(wallMilliseconds: self.now.wall)
        // One from a clock that ran ahead is ignored by everybody: it is not to be outdone.
        if let next = self.record(of: self.id)?.time.next, !self.time.isAhead(next) {
            time = max(time, next)
        }
        self.commits.records[self.id] = Record(
            kind: Record.Kind.profile, author: self.id, conversation: nil, time: time,
            value: profile.encoded, signer: self.own.signer)
        if let request { self.commits.profileRequests.append(request) }
    }

    /// A record that is on disk: it stands, and linked peers who may know its author get it.
    mutating func settleRecord(_ record: Record) {
        self.profiles.settle(record)
        for id in self.conversationTable.keys.sorted() where self.knows(record.author, in: id) {
            self.conversationTable[known: id].recordsChanged()
        }
        for link in self.links.ids where self.links[link].info.peer != record.author {
            let isKnown = self.links[link].shared.keys.contains {
                self.knows(record.author, in: $0)
            }
            if record.author == self.id || isKnown { self.send(.records([record]), on: link) }
        }
    }

    private func knows(_ author: PeerID, in conversation: ConversationID) -> Bool {
        self.conversationTable[known: conversation].logs.keys.contains { $0.author == author }
    }

    mutating func receiveRecords(_ records: [Record], on id: LinkID) {
        for record in records {
            let standing = self.record(of: record.author)
            // What stands here was verified when it came.
            guard record != standing else { continue }
            guard record.isValid else {
                return self.violation(id, "forged record of \(record.author.shortText)")
            }
            guard record.kind == Record.Kind.profile, record.conversation == nil,
                Profiles.takesPlace(record, of: standing, self.time),
                !self.time.isAhead(record.time), record.profile != nil
            else { continue }
            if record.author == self.links[id].info.peer
                || self.links[id].shared.keys.contains(where: { self.knows(record.author, in: $0) })
            {
                self.commits.records[record.author] = record
            } else {
                self.links[id].keepEarly(record)
                self.profiles.noteEarly(on: id)
            }
        }
    }

    /// The record of an author that will stand once all is on disk.
    private func record(of author: PeerID) -> Record? {
        self.commits.record(of: author) ?? self.profiles.record(of: author)
    }

    /// Takes on the record that a peer sent before the first entry of its author.
    ///
    /// Records answer a clock at once, entries only the wants that follow it.
    mutating func takeEarlyRecord(of author: PeerID) {
        for id in self.profiles.holders {
            let record = self.links[id].earlyRecords.removeValue(forKey: author)
            if self.links[id].earlyRecords.isEmpty { self.profiles.dropEarly(of: id) }
            guard let record else { continue }
            if Profiles.takesPlace(record, of: self.record(of: author), self.time) {
                self.commits.records[author] = record
            }
        }
    }

    mutating func receiveRecordClock(
        _ rows: [RecordRow], of conversation: ConversationID, on id: LinkID
    ) {
        let theirs = Dictionary(
            rows.filter { $0.kind == Record.Kind.profile }.map { ($0.tag, $0.time) },
            uniquingKeysWith: { first, _ in first })
        let authors = Set(self.conversationTable[known: conversation].logs.keys.map(\.author))
        var newer: [Record] = []
        for author in authors.sorted() {
            guard let record = self.profiles.record(of: author), !self.time.isAhead(record.time)
            else { continue }
            let time = theirs[self.links[id].tags.author(author)]
            if time.map({ $0 < record.time }) ?? true { newer.append(record) }
        }
        for start in stride(from: 0, to: newer.count, by: 64) {
            self.send(.records(Array(newer[start..<min(start + 64, newer.count)])), on: id)
        }
    }
}
