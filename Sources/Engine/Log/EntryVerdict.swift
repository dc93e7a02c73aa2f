package import Formats

/// What the node says to the store of an entry, since the store parses none.
///
/// Made here alone, beside ``Visibility``: whether an entry is ahead of time or
/// disputed is another question.
package struct EntryVerdict: Hashable, Sendable {
    /// The number of its kind; nil where there is no body, or none that can be parsed.
    package var kind: UInt64?
    /// Whether people see it once it is shown.
    package var isSeen = false
    /// Whether it counts as unread.
    package var countsAsUnread = false
    /// Whether the user has written it with another device, so that it is read; said of what counts as unread.
    package var isOfUser = false
    /// Whether it calls the user by name, or answers them; said of what counts as unread.
    package var isMention = false
    /// Whether it makes its author a member (true), ends that (false), or neither (nil).
    package var attendance: Bool?
    /// Whether it is sealed with a key that is not here.
    package var isLocked = false
    /// What becomes of its payload.
    package var payload = PayloadState.present
    /// The message with which it stands; nil where it stands for itself.
    package var refersTo: Reference?
    /// The message that it answers; nil where it answers none.
    package var answers: EntryTarget?
    /// The entries that it wants erased; whether it may, the store looks up by ``Authorship``.
    package var erases: [EntryTarget] = []
    /// Whether it is for programs, and stands in no conversation's history.
    package var isStream = false
    /// The file that it tells of; nil for none.
    package var attaches: Attachment?

    /// Nobody sees it.
    package init() {}

    /// The same for an entry of a device that its person has revoked: it is kept and sent on, and has no effect.
    package var silenced: EntryVerdict {
        var silenced = EntryVerdict()
        (silenced.kind, silenced.payload) = (self.kind, self.payload)
        return silenced
    }

    /// What becomes of an own entry.
    init(ofOwn content: Content) {
        self.init(
            of: EntryReading(content: content, kind: content.kind?.rawValue),
            byPerson: true)
        if case .erase(let targets) = content { self.erases = targets }
    }

    /// What becomes of an entry, by what was read of it and the person whose log it is in; nil where
    /// the log's first entry is not readable, or not one that opens a log.
    package init(of reading: EntryReading, in person: PersonID?) {
        #if MUTANTS
            let isSomebodys = person != nil || Mutant.showLogsOfNobody.isActive
        #else
            let isSomebodys = person != nil
        #endif
        self.init(of: reading, byPerson: isSomebodys)
    }

    private init(of reading: EntryReading, byPerson: Bool) {
        self.kind = reading.kind
        self.isLocked = reading.isLocked
        guard byPerson, let content = reading.content else { return }
        let traits = content.traits
        self.attendance = traits.attendance
        self.isSeen = traits.isShown
        self.countsAsUnread = traits.countsAsUnread
        self.isStream = traits.entryClass == .stream
        if traits.isAside { self.refersTo = Reference(content) }
        if case .reply(_, let target) = content { self.answers = target }
        if case .file(let file) = content { self.attaches = .file(file.blob, size: file.size) }
    }
}

/// What an entry needs beside itself: as long as it is kept, so is that.
package indirect enum Attachment: Hashable, Sendable {
    /// The content of a file, and its bytes.
    case file(BlobID, size: UInt64)
}

extension EntryVerdict {
    /// Notes whether a message of a person's is the user's own, calls them by name, or answers them.
    mutating func noteUser(
        _ user: MentionedUser?, in reading: EntryReading, by person: PersonID?
    ) {
        guard let user, self.countsAsUnread else { return }
        self.isOfUser = person == user.person
        guard !self.isOfUser, let content = reading.content, let text = content.text else { return }
        if case .reply(_, let target) = content, target.log.author == user.device {
            self.isMention = true
        } else {
            self.isMention = Mention.isMade(of: user.name, in: text)
        }
    }
}

/// Says what becomes of entries: the node's keyring, or what stands for it where no node runs.
package protocol EntryJudge: Sendable {
    /// What could be read of an entry.
    func read(_ envelope: Envelope) -> EntryReading

    /// What becomes of entry number `seq` of an author's log; `person` is whose log its first entry
    /// said that it is, and is set by that one.
    func judge(
        _ reading: EntryReading, seq: UInt64, of author: PeerID, in person: inout PersonID?
    ) -> EntryVerdict
}

extension Keyring: EntryJudge {
    /// What becomes of an entry; see ``EntryJudge``.
    package func judge(
        _ reading: EntryReading, seq: UInt64, of author: PeerID, in person: inout PersonID?
    ) -> EntryVerdict {
        if seq == 1 { person = reading.person(of: author) }
        return EntryVerdict(of: reading, in: person)
    }
}

extension VerifiedRun {
    /// What the store is told of each entry, and whose log this is; `person` as far as that was known
    /// before this run; `user` is whom messages may call, nil where nobody is asked for.
    package func verdicts(
        by judge: some EntryJudge, person: PersonID?, calling user: MentionedUser? = nil
    ) -> (verdicts: [EntryVerdict], person: PersonID?) {
        let readings = self.readings(by: judge)
        var person = person
        let verdicts = zip(readings, self.run.first...).map { reading, seq in
            judge.judge(reading, seq: seq, of: self.run.key.name.author, in: &person)
        }
        return (self.completed(verdicts, of: readings, in: person, calling: user), person)
    }

    /// What could be read of each entry.
    func readings(by judge: some EntryJudge) -> [EntryReading] {
        self.ids.indices.map { judge.read(self.envelope(at: $0)) }
    }

    /// What the store is told of each entry, of which this could be read, in a log of which it is known
    /// whose it is.
    func verdicts(
        of readings: [EntryReading], in person: PersonID?, calling user: MentionedUser?
    ) -> [EntryVerdict] {
        let verdicts = readings.map { EntryVerdict(of: $0, in: person) }
        return self.completed(verdicts, of: readings, in: person, calling: user)
    }

    private func completed(
        _ verdicts: [EntryVerdict], of readings: [EntryReading], in person: PersonID?,
        calling user: MentionedUser?
    ) -> [EntryVerdict] {
        var verdicts = verdicts
        for index in verdicts.indices {
            verdicts[index].noteUser(user, in: readings[index], by: person)
            verdicts[index].noteErasing(
                self.run.entries[index], readings[index], by: self.run.key.name.author)
            if case .absent = self.run.entries[index].payload { verdicts[index].payload = .wanted }
        }
        return verdicts
    }

    /// The certificate that the log begins with, where the run has its first entry and can be read.
    package func opener(by judge: some EntryJudge) -> Certificate? {
        guard self.run.first == 1,
            case .open(let opening)? = judge.read(self.envelope(at: 0)).content,
            opening.person(of: self.run.key.name.author) != nil
        else { return nil }
        return opening.certificate
    }

    /// The first text in the run that can be read; nil where there is none.
    func firstText(by judge: some EntryJudge) -> String? {
        for index in self.ids.indices {
            if let text = judge.read(self.envelope(at: index)).content?.text { return text }
        }
        return nil
    }

    /// What it takes to read an entry of the run.
    package func envelope(at index: Int) -> Envelope {
        Envelope(
            self.run.entries[index], key: self.run.key, seq: self.run.first + UInt64(index),
            prev: index == 0 ? self.run.prev : self.ids[index - 1])
    }
}

extension EntryVerdict {
    /// Notes what a control entry of a device wants erased, in its body or in clear.
    package mutating func noteErasing(
        _ entry: Entry, _ reading: EntryReading, by device: PeerID
    ) {
        guard entry.entryClass == EntryClass.control.rawValue else { return }
        var targets = EntryTarget.inExtensions(entry.extensions, by: device)
        if case .erase(let named)? = reading.content {
            targets += named.filter { !targets.contains($0) }
        }
        self.erases = targets
    }
}
