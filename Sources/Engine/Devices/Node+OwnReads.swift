internal import Crypto
internal import Formats

/// Marks what the user reads on one device as read on all of them.
///
/// A mark in the notes, which nobody else gets, covers all conversations, whatever `ReadMarks` lets others know.
extension Node {
    /// Takes what the marks of other own devices say, as they were left.
    mutating func restoreOwnReads() {
        guard let notes = self.notesID, self.conversations.table.has(notes) else { return }
        for author in self.conversations.table[known: notes].authors {
            let key = RecordKey(author: author, conversation: notes, kind: Record.Kind.mark)
            if let record = self.persons.profiles.record(key) { self.takeOwnMark(record) }
        }
    }

    /// Takes a mark; of others, and elsewhere than in the notes, it says nothing of the user.
    mutating func takeOwnMark(_ record: Record) {
        guard record.author != self.id, record.conversation == self.notesID,
            self.isOwnDevice(record.author), !self.persons.people.isRevoked(record.author),
            let mark = Mark(record, by: self.keyring)
        else { return }
        self.mine.reads.take(mark)
        for id in self.conversations.table.keys { self.mine.reads.look(in: id) }
    }

    /// Entries have come that may be read elsewhere already.
    mutating func noteReadElsewhere(_ append: Append) {
        guard !self.mine.reads.isEmpty, append.verdicts.contains(where: \.countsAsUnread),
            self.mine.reads.read(of: append.run.run.key) >= append.run.run.first
        else { return }
        self.mine.reads.look(in: append.run.run.key.conversation)
    }

    /// Has the store take for read what is read elsewhere.
    mutating func followReads() {
        for id in self.mine.reads.takeDue() where self.conversations.table.has(id) {
            let here = self.receipts.marks.reads(in: id)
            var isNews = false
            var logs: [LogKey: [PeerID: MemberPosition]] = [:]
            for name in self.conversations.table[known: id].logs.keys where name.author != self.id {
                let key = LogKey(conversation: id, name: name)
                let (read, elsewhere) = (here[name] ?? 0, self.mine.reads.read(of: key))
                let head = self.conversations.table[known: id].log(name).head.seq
                isNews = isNews || min(elsewhere, head) > read
                logs[key] = [self.id: MemberPosition(read: min(max(read, elsewhere), head))]
            }
            if isNews { self.disk.commits.add(logs) }
        }
    }

    /// Tells the user's other devices what is read here.
    mutating func tellOwnReads() {
        guard self.mine.isShared, let notes = self.notesID, self.isJoinedOrWillBe(notes) else {
            return
        }
        var rows: [(row: Mark.Row, time: HybridTime)] = []
        for id in self.receipts.marks.readConversations where self.conversations.table.has(id) {
            for (name, read) in self.receipts.marks.reads(in: id) where read > 0 {
                guard let log = self.conversations.table[known: id].logs[name] else { continue }
                let tag = Mark.tag(of: LogKey(conversation: id, name: name))
                rows.append(
                    (Mark.Row(tag: tag, stored: read, read: read, headTag: 0), log.head.time))
            }
        }
        rows.sort { ($1.time, $0.row.tag) < ($0.time, $1.row.tag) }
        let mark = Mark(rows: rows.prefix(Limits.markRows).map(\.row))
        let key = RecordKey(author: self.id, conversation: notes, kind: Record.Kind.mark)
        self.write(mark, key, in: notes)
    }
}
