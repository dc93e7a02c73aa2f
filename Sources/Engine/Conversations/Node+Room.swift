internal import Crypto
internal import Formats

/// Room for logs: which of them are taken, and whose give way where there are too many.
///
/// `Docs/Decisions/0021-who-gives-way.md`.
extension Node {
    private var bounds: LogBounds { self.own.configuration.logBounds }

    // MARK: Logs that begin

    /// Makes room for a log that begins with a run; false where there is none.
    mutating func makeRoom(
        for run: VerifiedRun, _ opening: CheckedOpening?, from origin: RunOrigin
    ) -> Bool {
        let key = run.run.key
        let time = run.run.entries[0].time
        guard self.makeRoom(for: key, of: opening?.person, at: time, from: origin) else {
            return false
        }
        for incarnation in opening?.closes ?? [] where incarnation != key.name.incarnation {
            self.closeLog(
                LogKey(
                    conversation: key.conversation,
                    name: LogName(author: key.name.author, incarnation: incarnation)))
        }
        return true
    }

    /// Makes room for a log of which nothing is here but a proof that it is two; false where there is none.
    mutating func makeRoom(for proof: ForkProof, from origin: RunOrigin) -> Bool {
        guard !self.conversations.table[known: proof.key.conversation].logs.has(proof.key.name)
        else {
            return true
        }
        return self.makeRoom(
            for: proof.key, of: nil, at: proof.left.entries[0].time, from: origin)
    }

    /// Makes room for an own log that begins, which has it in any case.
    mutating func makeOwnRoom(in conversation: ConversationID) {
        if self.isFull(conversation),
            let name = self.crowdOut(of: conversation, for: nil, stays: true)
        {
            self.giveWay(LogKey(conversation: conversation, name: name))
        }
        self.conversations.table[known: conversation].begin(self.ownLog, from: nil)
    }

    private mutating func makeRoom(
        for key: LogKey, of person: PersonID?, at time: HybridTime, from origin: RunOrigin
    ) -> Bool {
        let tier = self.tier(of: key.name.author, person)
        let stays = self.stays(key.name, LogProgress(), tier)
        guard !self.disk.commits.drops.contains(key) else {
            // It gave way, and its author has linked since.
            if stays { self.conversations.roomless.insert(key.name.author) }
            return false
        }
        let source = self.charged(for: key, from: origin)
        guard !self.conversations.diskShares.refuses(tier, from: source) else { return false }
        var victim: LogName?
        let own = self.conversations.table[known: key.conversation].count(of: key.name.author)
        // While there is room, nothing that somebody honest has written need go.
        let budget =
            self.isCrowded(key.conversation) ? self.bounds.ofAuthor(tier) : self.bounds.ofKnown
        if tier != .own, own >= budget {
            victim = self.oldestClosed(in: key.conversation, before: time, for: key.name)
            guard victim != nil else { return false }
        } else if self.isFull(key.conversation) {
            victim = self.crowdOut(of: key.conversation, for: source, stays: stays)
            self.tellCrowded(key.conversation)
            guard victim != nil else {
                if stays, self.waitsForDisk(key.conversation) {
                    self.conversations.roomless.insert(key.name.author)
                }
                return false
            }
        }
        if let victim { self.giveWay(LogKey(conversation: key.conversation, name: victim)) }
        self.conversations.table[known: key.conversation].begin(key.name, from: source)
        let charge = self.conversations.table[known: key.conversation].log(key.name).charge
        if charge.marks != LogMarks() { self.disk.commits.logMarks[key] = charge.marks }
        if !stays {
            self.conversations.table[known: key.conversation].crowd?.add(
                LogCrowd.Occupant(name: key.name, source: charge.source, number: charge.number))
        }
        return true
    }

    /// To whom a log is charged: to whoever brought it, whoever wrote it.
    private func charged(for key: LogKey, from origin: RunOrigin) -> Source {
        #if MUTANTS
            if Mutant.chargeAuthors.isActive {
                return Source(description: key.name.author.description)
            }
        #endif
        switch origin {
        case .link(let id): return Source(self.links[id].address)
        case .site: return Source.sites
        }
    }

    /// How far an author is trusted, whose log says of which person it is.
    private func tier(of author: PeerID, _ person: PersonID?) -> Tier {
        let tier = self.tier(of: author)
        guard tier == .stranger, let person else { return tier }
        if person == self.own.certificate.personID { return .verified }
        switch self.persons.people.inherited(by: author, of: person) {
        case .known?: return .known
        case .verified?: return .verified
        default: return tier
        }
    }

    private func isCrowded(_ conversation: ConversationID) -> Bool {
        self.conversations.table[known: conversation].logs.count
            >= min(Limits.crowdedLogs, self.bounds.all / 8)
    }

    private func isFull(_ conversation: ConversationID) -> Bool {
        self.conversations.table[known: conversation].logs.count >= self.bounds.all
    }

    /// Which log of an author gives way to another one of the same author: one that is closed, the oldest by
    /// the author's own clock, which concerns nobody else.
    private func oldestClosed(
        in conversation: ConversationID, before time: HybridTime, for newcomer: LogName
    ) -> LogName? {
        let known = self.conversations.table[known: conversation]
        let oldest =
            known.names(of: newcomer.author).filter {
                known.log($0).charge.marks.isClosed && self.isFree($0, in: conversation)
            }
            .min { (known.log($0).head.time, $0) < (known.log($1).head.time, $1) }
        guard let oldest else { return nil }
        // What comes while a newcomer catches up may be older than all that is here.
        let isOlder = known.isClosedElsewhere(newcomer) && time < known.log(oldest).head.time
        return isOlder ? nil : oldest
    }

    private func isFree(_ name: LogName, in conversation: ConversationID) -> Bool {
        guard let log = self.conversations.table[known: conversation].logs[name] else {
            return false
        }
        return log.tail == log.head
    }

    /// Whether logs may give way once they are on the disk.
    private func waitsForDisk(_ conversation: ConversationID) -> Bool {
        let logs = self.conversations.table[known: conversation].logs
        let tiers = self.tiers(of: Set(logs.keys.map(\.author)))
        return logs.contains { name, log in
            log.tail != log.head
                && !self.stays(name, LogProgress(), tiers[name.author] ?? .stranger)
        }
    }

    // MARK: Logs that give way

    /// Which log of a full conversation gives way; nil where the newcomer has to stay out.
    private mutating func crowdOut(
        of conversation: ConversationID, for source: Source?, stays: Bool
    ) -> LogName? {
        let madeAt = self.conversations.table[known: conversation].crowd?.madeAt
        var crowd =
            self.conversations.table[known: conversation].crowd.take() ?? self.crowd(conversation)
        if let madeAt, madeAt + Limits.crowdMilliseconds <= self.now.monotonic {
            crowd = self.crowd(conversation)
        }
        // Who has linked since it was made stays.
        func isLoose(_ name: LogName) -> Bool {
            self.isFree(name, in: conversation) && !self.links.hasPlace(name.author)
        }
        var victim = crowd.giveWay(to: source, stays: stays) { name in
            isLoose(name)
                && !self.isAnswered(self.conversations.table[known: conversation].log(name))
        }
        // Answers to a flood keep nobody out who would never give way.
        if victim == nil, stays {
            var all = self.crowd(conversation, withAnswered: true)
            victim = all.giveWay(to: source, stays: stays, isFree: isLoose)
        }
        self.conversations.table[known: conversation].crowd = crowd
        return victim
    }

    /// The logs that may give way: those of strangers who are not linked, and that nobody has answered who
    /// is more.
    ///
    /// - Parameter withAnswered: also those that somebody has answered who is more.
    private func crowd(
        _ conversation: ConversationID, withAnswered: Bool = false
    ) -> LogCrowd {
        let logs = self.conversations.table[known: conversation].logs
        let tiers = self.tiers(of: Set(logs.keys.map(\.author)))
        var occupants: [LogCrowd.Occupant] = []
        for (name, log) in logs {
            let tier = tiers[name.author] ?? .stranger
            guard !self.stays(name, withAnswered ? LogProgress() : log, tier) else { continue }
            occupants.append(
                LogCrowd.Occupant(
                    name: name, source: log.charge.source, number: Self.number(of: log)))
        }
        return LogCrowd(occupants, at: self.now.monotonic)
    }

    /// Whether a log never gives way.
    private func stays(_ name: LogName, _ log: LogProgress, _ tier: Tier) -> Bool {
        #if MUTANTS
            if Mutant.evictKnownAuthors.isActive { return name.author == self.id }
        #endif
        return tier > .stranger || self.links.hasPlace(name.author)
            || self.isAnswered(log)
    }

    private func isAnswered(_ log: LogProgress) -> Bool {
        log.charge.marks.isAnswered(at: self.now.wall)
    }

    /// By what the newest log of a source is told: never by a time that it claims.
    private static func number(of log: LogProgress) -> Int64 {
        #if MUTANTS
            if Mutant.letTimeDecide.isActive { return Int64(clamping: log.head.time.rawValue) }
        #endif
        return log.charge.number
    }

    /// A log gives way: nothing of it is kept, and it is not taken again while there is no room.
    mutating func giveWay(_ key: LogKey) {
        let conversation = key.conversation
        self.conversations.diskShares.remove(key)
        self.conversations.table[known: conversation].drop(key.name)
        self.disk.commits.drops.insert(key)
        self.disk.commits.forgetLog(key)
        self.catchUp.forkSearches.end(key)
        self.endFetch(key)
        self.catchUp.payloadWants.end(key, before: 1)
        let numbers = self.conversations.table[known: conversation].numbers
        for id in self.links.sharing(conversation) {
            self.links[id].shared[known: conversation].drop(key.name, numbers)
        }
        self.noteRefused(key)
        self.tellRefused(key, on: nil)
    }

    /// What a batch has taken off the disk: what is left of a long log goes with the next one.
    mutating func settleDrops(_ drops: [LogDrop]) {
        for drop in drops {
            let (conversation, author) = (drop.key.conversation, drop.key.name.author)
            if let attendance = drop.attendance, self.conversations.table.has(conversation) {
                self.conversations.table[known: conversation].attend(author, attendance)
                self.changedRooms([conversation])
            }
            guard drop.isWhole else { continue }
            self.disk.commits.drops.remove(drop.key)
            self.forgetAuthor(author)
        }
    }

    /// Forgets a stranger of whom no log is left.
    private mutating func forgetAuthor(_ author: PeerID) {
        let hasLogs = self.conversations.table.keys.contains {
            self.conversations.table[known: $0].count(of: author) > 0
        }
        guard !hasLogs, self.tier(of: author) <= .stranger else { return }
        self.persons.people.unlearn(author)
        guard self.links.id(of: author) == nil, self.dialling.known[author] == nil,
            !self.persons.profiles.has(author)
        else { return }
        self.receipts.marks.forget(author)
        self.disk.commits.forget([author])
    }

    // MARK: Logs that are refused

    /// A run has come of a log for which there is no room: peers that have it are told, and nobody is
    /// asked for it.
    mutating func refuseLog(_ key: LogKey, on id: LinkID) {
        let conversation = key.conversation
        guard self.conversations.table[known: conversation].refusesLogs else { return }
        let tag = self.links[id].tags.log(key.name, in: conversation)
        let wasAsked =
            self.links[id].shared[known: conversation].unknown.discoveries[tag] != nil
        if wasAsked { self.endDiscoveries(conversation, on: id) { $0.tag == tag } }
        if self.noteRefused(key) {
            self.learnName(key)
            self.tellRefused(key, on: id)
        }
        if wasAsked { self.planFetches(in: conversation) }
    }

    /// Remembers that a log is refused; false where that is known.
    @discardableResult
    private mutating func noteRefused(_ key: LogKey) -> Bool {
        let conversation = key.conversation
        let (isNews, forgotten) = self.conversations.table[known: conversation].refuse(key.name)
        for forgotten in forgotten {
            self.endFetch(LogKey(conversation: conversation, name: forgotten))
            self.conversations.table[known: conversation].group?.release(forgotten)
            let numbers = self.conversations.table[known: conversation].numbers
            for id in self.links.sharing(conversation) {
                let tag = self.links[id].tags.log(forgotten, in: conversation)
                self.links[id].shared[known: conversation].forget(forgotten, tag: tag, numbers)
            }
            self.conversations.table[known: conversation].numbers.remove(forgotten)
        }
        return isNews
    }

    /// Tells that a log is refused: its author, whoever has it, and whoever has brought it just now.
    private mutating func tellRefused(_ key: LogKey, on bringer: LinkID?) {
        let conversation = key.conversation
        let log = self.conversations.table[known: conversation].log(key.name)
        let numbers = self.conversations.table[known: conversation].numbers
        for id in self.links.sharing(conversation)
        where id == bringer || self.links[id].info.peer == key.name.author
            || self.links[id].shared[known: conversation].seq(of: key.name, numbers) > 0
        {
            let tags = self.links[id].tags
            let row = tags.row(key.name, log, in: conversation, by: tags.own)
            self.send(.delta(conversation, [row]), on: id)
        }
    }

    /// Somebody is more than a stranger from here on: what was refused of them is asked for again.
    mutating func readmit(_ author: PeerID) {
        for conversation in self.conversations.table.keys {
            self.conversations.table[known: conversation].crowd = nil
        }
        self.readmitLogs(of: author)
    }

    /// Logs of somebody never give way from here on: what was refused of them is asked for again.
    mutating func readmitLogs(of author: PeerID) {
        for conversation in self.conversations.table.keys.sorted() {
            let names = self.conversations.table[known: conversation].readmit {
                $0.author == author
            }
            for name in names {
                // In a group it may be held back, too.
                self.conversations.table[known: conversation].group?.release(name)
                self.seekAgain(LogKey(conversation: conversation, name: name))
            }
        }
    }

    /// What waited for the disk may give way: what would not is asked for again.
    mutating func readmitRoomless() {
        for author in self.conversations.roomless.sorted() { self.readmitLogs(of: author) }
        self.conversations.roomless = []
    }

    // MARK: What is noted of logs

    /// An author does not continue a log.
    private mutating func closeLog(_ key: LogKey) {
        let conversation = key.conversation
        guard self.conversations.table[known: conversation].logs.has(key.name) else {
            return self.conversations.table[known: conversation].closeElsewhere(key.name)
        }
        self.note(LogMarks(isClosed: true), of: key)
    }

    private mutating func note(_ marks: LogMarks, of key: LogKey) {
        let all = self.conversations.table[known: key.conversation].mark(key.name, marks)
        if let all { self.disk.commits.logMarks[key] = all }
    }

    /// Somebody who does not give way has answered an entry, or said what they make of it: its log does not give way
    /// either, for a time.
    ///
    /// Only what a person does counts. What entries follow a node chooses by itself, and whoever writes much would have
    /// all their logs followed.
    mutating func noteAnswer(
        _ content: Content, by author: PeerID, at time: HybridTime, in id: ConversationID
    ) {
        let target: EntryTarget
        switch content {
        case .reply(_, let answered): target = answered
        case .reaction(let reaction): target = reaction.target
        default: return
        }
        let key = LogKey(conversation: id, name: target.log)
        guard key.name.author != author, self.tier(of: author) > .stranger else { return }
        let day = min(time.milliseconds, self.now.wall) / Limits.dayMilliseconds
        self.note(LogMarks(answeredDay: UInt32(clamping: day)), of: key)
    }

    #if MUTANTS
        /// Somebody who does not give way has written behind entries of others.
        mutating func protectFollowed(by run: Run) {
            guard self.tier(of: run.key.name.author) > .stranger else { return }
            let deps = Set(run.entries.flatMap(\.deps))
            let id = run.key.conversation
            let followed = self.conversations.table[known: id].logs
                .filter { deps.contains($0.value.head.id) }.map(\.key).sorted()
            let day = UInt32(clamping: self.now.wall / Limits.dayMilliseconds)
            for name in followed {
                self.note(
                    LogMarks(answeredDay: max(1, day)), of: LogKey(conversation: id, name: name))
            }
        }
    #endif

    // MARK: What the user is told

    mutating func tellCrowded(_ conversation: ConversationID) {
        func text(inLog: Bool) -> String {
            "\(self.names(of: [conversation], inLog: inLog)) has as many logs as are kept "
                + "(\(self.bounds.all)): new ones of strangers are dropped, first from the addresses with "
                + "most; contacts are always kept (stoa people add)"
        }
        self.raiseAlert(
            .crowded, in: conversation, text(inLog: false), logged: text(inLog: true),
            lasting: Limits.alertMilliseconds)
    }

    /// Tells the user where at least half of the people keep nothing of what is written here.
    mutating func updateRefusedAlert() {
        let rooms = self.roomsMostRefuse
        guard !rooms.isEmpty else { return self.alerts.clear(.refused, at: self.now) }
        func text(inLog: Bool) -> String {
            "most others do not keep what you write in \(self.names(of: rooms, inLog: inLog)): they have no "
                + "room for more logs of strangers; ask them to run: stoa people add @\(self.id)"
        }
        self.raiseAlert(.refused, text(inLog: false), logged: text(inLog: true))
    }

    private var roomsMostRefuse: [ConversationID] {
        var rooms: [ConversationID] = []
        // Where two write to each other, this is not for want of room: the other one has not let in.
        for conversation in self.receipts.refused.conversations
        where self.conversations.table[conversation]?.kind.direct == nil {
            var (all, refusing): (Set<PersonID>, Set<PersonID>) = ([], [])
            for id in self.links.sharing(conversation) {
                let person = self.links[id].info.certificate.personID
                all.insert(person)
                if self.receipts.refused.isRefused(conversation, on: id) { refusing.insert(person) }
            }
            // One stranger alone raises no alarm.
            if self.isMost(refusing, of: all) { rooms.append(conversation) }
        }
        return rooms
    }
}
