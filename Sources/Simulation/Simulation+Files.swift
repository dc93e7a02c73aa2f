import Engine
import Formats
import Crypto

/// Files that users send and fetch: what the shell does of it, over disks that may be full, and from
/// which a power cut takes what was not synced.
extension Simulation {
    /// What the files' thread of a machine has to do.
    enum FileJob {
        case task(FileTask)
        /// Say what is here of a file that somebody asks for, and who is told of it.
        case standing(LinkID, BlobID, BlobLayout)
    }

    /// What becomes of files on one machine and by its user.
    enum FileHappening {
        /// The user sends a file to a conversation.
        case sends(ConversationID)
        /// What was copied is told of.
        case tells(start: Int, Outgoing)
        /// The user fetches one of the files that they can see, or gives up one that comes.
        case fetches
        case cancels
        /// The user takes back a message with a file.
        case erases
        /// The files' thread has done its next job.
        case does(start: Int)
        /// The store says whether a conversation tells of a file, or whether any does.
        case looks(start: Int, LinkID, ConversationID, BlobID)
        case releases(start: Int, BlobID)
        /// The shell goes on with what it has found on the disk.
        case takesUp(start: Int, BlobID)
        /// A hostile peer does something bad about files.
        case assaults
    }

    // MARK: What users do

    /// Notes what users send and fetch.
    func scheduleFiles(_ workload: Workload) {
        guard workload.files > 0 else { return }
        let end = workload.milliseconds
        for machine in self.machines.indices {
            let limits: [UInt64] = [0, 30_000, 1 << 20, 1 << 20]
            self.machines[machine].files.autoFetchBytes = limits[self.dice.filing.number(0...3)]
            for other in self.machines.indices where other != machine && self.dice.filing.chance(40)
            {
                let peer = self.machines[other].id
                self.requestLater(
                    machine, .stand(peer, .known), in: self.dice.filing.number(0...end / 2))
            }
        }
        for _ in 0..<workload.files {
            let machine = self.dice.filing.number(0...self.machines.count - 1)
            let moment = self.dice.filing.number(0...end)
            let conversation = self.placeForFile(of: machine, workload, at: moment)
            self.schedule(
                .file(machine: machine, .sends(conversation)),
                in: moment + self.dice.filing.number(UInt64(0)...400))
        }
        func add(_ count: Int, _ what: FileHappening) {
            for _ in 0..<count {
                let machine = self.dice.filing.number(0...self.machines.count - 1)
                self.schedule(
                    .file(machine: machine, what), in: self.dice.filing.number(0...end + end / 4))
            }
        }
        add(4 * workload.files, .fetches)
        add(workload.files / 3, .cancels)
        add(workload.files / 3, .erases)
        for machine in self.machines.indices where self.machines[machine].adversary != nil {
            self.machines[machine].adversary?.filesKept = self.dice.filing.chance(40) ? 60 : 0
            self.machines[machine].adversary?.filesChanged = self.dice.filing.chance(60) ? 50 : 0
            for _ in 0..<self.dice.filing.number(10...60) {
                self.schedule(
                    .file(machine: machine, .assaults), in: self.dice.filing.number(0...end))
            }
        }
    }

    /// Where a user sends a file: to a room, to somebody, or to a secret room.
    private func placeForFile(
        of machine: Int, _ workload: Workload, at moment: UInt64
    ) -> ConversationID {
        switch self.dice.filing.number(0...9) {
        case 0...1 where self.network.neighbours == nil:
            let other = self.dice.filing.number(0...self.machines.count - 1)
            guard other != machine else { break }
            let direct = self.directID(machine, other)
            self.requestLater(machine, .beginDirect(self.machines[other].id), in: moment)
            // A request shows what was written first, and a file may be taken back.
            self.requestLater(
                machine, .send(Outgoing(conversation: direct, text: "a file for you")), in: moment)
            self.requestLater(
                other, .accept(self.machines[machine].id),
                in: moment + self.dice.filing.number(UInt64(500)...5_000))
            return direct
        case 2...3 where self.network.neighbours == nil:
            let secret = self.secretRoom(self.dice.filing.number(0...1))
            for member in self.machines.indices
            where member == machine || self.dice.filing.chance(40) {
                self.requestLater(
                    member, .joinSecret(secret),
                    in: member == machine ? moment : self.dice.filing.number(0...moment))
            }
            return secret.id
        default: break
        }
        return self.room(self.dice.filing.number(0...workload.rooms - 1)).conversation
    }

    func happen(_ happening: FileHappening, on index: Int) throws {
        switch happening {
        case .sends(let conversation): self.takeFile(index, conversation)
        case .tells(let start, let outgoing):
            guard self.isRunning(index, start) else { return }
            try self.request(index, .send(outgoing))
        case .fetches:
            let seen = self.seenFiles(on: index)
            guard let file = seen.randomElement(using: &self.dice.filing) else { return }
            try self.fetch(file.blob, file.layout, in: file.conversation, by: index)
        case .cancels:
            let reports = self.machines[index].node?.transferReports ?? []
            guard let report = reports.randomElement(using: &self.dice.filing) else { return }
            try self.tell(index, .transfer(.cancel(report.blob)))
        case .erases: try self.eraseFile(by: index)
        case .does(let start):
            guard self.isRunning(index, start) else { return }
            try self.doFileJob(index)
        case .looks(let start, let link, let conversation, let blob):
            guard self.isRunning(index, start) else { return }
            let told = self.machines[index].store.attachments(of: blob)
            guard let size = told.first(where: { $0.conversation == conversation })?.size,
                let layout = BlobLayout(size: size)
            else { return try self.tell(index, .transfer(.looked(link, blob, nil))) }
            self.add(.standing(link, blob, layout), to: index)
        case .releases(let start, let blob):
            guard self.isRunning(index, start),
                self.machines[index].store.attachments(of: blob).isEmpty
            else { return }
            self.add(.task(.close(blob, isRemoved: true)), to: index)
        case .takesUp(let start, let blob):
            guard self.isRunning(index, start) else { return }
            try self.takeUp(blob, index)
        case .assaults: if !self.isSettling { self.assaultFiles(by: index) }
        }
    }

    /// A user sends a file: it is copied, then told of.
    private func takeFile(_ index: Int, _ conversation: ConversationID) {
        guard self.machines[index].isUp else { return }
        let (content, key) = self.fileContent(index, conversation)
        // Where the disk is full nothing is sent.
        guard !self.machines[index].isDiskFull else { return }
        let cipher = key.map { XChaCha20.apply($0, to: content, at: 0) } ?? content
        let blob = self.machines[index].files.blobs.take(cipher)
        self.checker.files[blob] = cipher
        let file = AttachedFile(
            blob: blob, size: UInt64(content.count), name: "file", type: "text/plain", key: key)
        guard let file else { preconditionFailure("a small file with a short name") }
        self.schedule(
            .file(
                machine: index,
                .tells(
                    start: self.machines[index].start,
                    Outgoing(conversation: conversation, content: .file(file)))),
            in: self.dice.filing.number(UInt64(0)...40))
    }

    /// New bytes; now and then those of a file that is here already, for another conversation.
    private func fileContent(
        _ index: Int, _ conversation: ConversationID
    ) -> (content: [UInt8], key: Bytes32?) {
        let key: Bytes32?
        if self.machines[index].access.keyring.isSealed(conversation) {
            key = Bytes32(Self.bytes32(&self.dice.filing))
        } else {
            key = nil
        }
        let known = self.machines[index].files.blobs.files.filter { $0.value.isWhole }.keys.sorted()
        if key == nil, self.dice.filing.chance(15),
            let blob = known.randomElement(using: &self.dice.filing),
            let content = self.machines[index].files.blobs.files[blob]?.content
        {
            return (content, nil)
        }
        let count =
            self.dice.filing.chance(40)
            // Two chunks or three, with a node above them.
            ? self.dice.filing.number(BlobLayout.chunkBytes + 1...2 * BlobLayout.chunkBytes + 9_999)
            : self.dice.filing.number(0...60_000)
        var content = [UInt8](repeating: UInt8(self.dice.filing.number(0...255)), count: count)
        for (offset, byte) in Self.bytes32(&self.dice.filing).enumerated() where offset < count {
            content[offset] = byte
            content[count - 1 - offset] ^= byte
        }
        return (content, key)
    }

    /// The files that the user of a machine can see.
    private func seenFiles(
        on index: Int
    ) -> [(blob: BlobID, layout: BlobLayout, conversation: ConversationID)] {
        let store = self.machines[index].store
        return store.attachedFiles.flatMap { blob in
            store.attachments(of: blob).compactMap { told in
                BlobLayout(size: told.size).map { (blob, $0, told.conversation) }
            }
        }
    }

    /// A user fetches a file, as the shell does where it is not here.
    private func fetch(
        _ blob: BlobID, _ layout: BlobLayout, in conversation: ConversationID, by index: Int
    ) throws {
        guard self.machines[index].isUp, !self.machines[index].files.blobs.isWhole(blob) else {
            return
        }
        try self.tell(
            index,
            .transfer(.fetch(blob, layout, in: .conversation(conversation), isAwaited: true)))
    }

    /// A user takes back one of the messages with a file that they have written.
    private func eraseFile(by index: Int) throws {
        let machine = self.machines[index]
        guard machine.isUp else { return }
        var found: [(room: ConversationID, target: EntryTarget)] = []
        for (key, log) in machine.store.logs.sorted(by: { $0.key < $1.key })
        where key.name.author == machine.id {
            for (offset, row) in log.rows.enumerated() where row.verdict.attaches != nil {
                let target = EntryTarget(log: key.name, seq: UInt64(offset) + 1, id: row.id)
                found.append((key.conversation, target))
            }
        }
        guard let one = found.randomElement(using: &self.dice.filing) else { return }
        try self.request(index, .erase(one.room, [one.target]))
    }

    // MARK: What the shell does

    /// Does what a node wants done about a file.
    func perform(_ task: FileTask, _ index: Int) throws {
        let start = self.machines[index].start
        switch task {
        case .open, .store, .finish, .close, .read: self.add(.task(task), to: index)
        case .look(let link, let conversation, let blob):
            self.schedule(
                .file(machine: index, .looks(start: start, link, conversation, blob)),
                in: self.dice.filing.number(UInt64(0)...3))
        case .release(let blob): self.release(blob, index)
        // A machine that falls forgets what waited; its user asks again.
        case .note: break
        case .tell(let report):
            try self.checker.transferred(report, by: self.machines[index])
        }
    }

    /// Removes a file of which nothing tells.
    func release(_ blob: BlobID, _ index: Int) {
        self.schedule(
            .file(machine: index, .releases(start: self.machines[index].start, blob)),
            in: self.dice.filing.number(UInt64(0)...3))
    }

    private func add(_ job: FileJob, to index: Int) {
        self.machines[index].files.jobs.append(job)
        let wait =
            self.dice.filing.chance(3)
            ? self.dice.filing.number(UInt64(0)...800) : self.dice.filing.number(0...4)
        self.schedule(
            .file(machine: index, .does(start: self.machines[index].start)), in: wait)
    }

    /// The files' thread does one job after the other.
    private func doFileJob(_ index: Int) throws {
        let job = self.machines[index].files.jobs.removeFirst()
        let isFull = self.machines[index].isDiskFull
        switch job {
        case .standing(let link, let blob, let layout):
            let standing = self.machines[index].files.blobs.standing(of: blob, layout)
            let nothing = BlobStanding(chunks: ChunkSet(of: layout.chunkCount))
            try self.tell(index, .transfer(.looked(link, blob, standing ?? nothing)))
        case .task(.open(let blob, let layout)):
            let event: FileEvent
            do throws(TransferFailure) {
                let standing = try self.machines[index].files.blobs.open(
                    blob, layout, isFull: isFull)
                event = .opened(blob, standing)
            } catch { event = .failed(blob, error) }
            try self.tell(index, .transfer(event))
        case .task(.store(let blob, let part, let bytes, let link)):
            let event: FileEvent
            do throws(TransferFailure) {
                let isRight = try self.machines[index].files.blobs.store(
                    bytes, as: part, of: blob, isFull: isFull)
                event = .stored(blob, part, from: link, isRight: isRight)
            } catch { event = .unstored(blob, error) }
            if part.isChunk, try self.isDisturbed(index) { return }
            try self.tell(index, .transfer(event))
        case .task(.finish(let blob)):
            let event: FileEvent
            do throws(TransferFailure) {
                try self.machines[index].files.blobs.finish(blob, isFull: isFull)
                event = .finished(
                    blob,
                    beginning: self.machines[index].files.blobs.read(.chunk(0), of: blob) ?? [])
            } catch { event = .failed(blob, error) }
            try self.tell(index, .transfer(event))
        case .task(.close(let blob, let isRemoved)):
            self.machines[index].files.blobs.close(blob, isRemoved: isRemoved)
        case .task(.read(let link, let number, let blob, let part)):
            let bytes = self.machines[index].files.blobs.read(part, of: blob)
            try self.tell(index, .transfer(.read(link, number: number, bytes)))
        case .task(.look), .task(.release), .task(.note), .task(.tell):
            preconditionFailure("the files' thread does not do that")
        }
    }

    /// Now and then a machine stops, or its disk fills up, when some of a file has come, so that there is
    /// something to go on with; true where it has stopped.
    private func isDisturbed(_ index: Int) throws -> Bool {
        guard !self.isSettling else { return false }
        if self.faults.fullDisks > 0, self.dice.filing.chance(20) {
            self.setDiskFull(index, true)
            self.schedule(
                .fault(.freeDisk(machine: index)), in: self.dice.filing.number(UInt64(10)...5_000))
        }
        guard self.faults.crashes > 0, self.dice.filing.chance(20) else { return false }
        try self.fall(index)
        return true
    }

    /// The shell goes on with what was not whole, and removes that of which no message tells any longer.
    func takeUpFiles(_ index: Int) {
        for blob in self.machines[index].files.blobs.files.keys.sorted() {
            self.schedule(
                .file(machine: index, .takesUp(start: self.machines[index].start, blob)),
                in: self.dice.filing.number(UInt64(0)...30))
        }
    }

    private func takeUp(_ blob: BlobID, _ index: Int) throws {
        let attachments = self.machines[index].store.attachments(of: blob)
        guard !attachments.isEmpty else {
            return self.add(.task(.close(blob, isRemoved: true)), to: index)
        }
        guard !self.machines[index].files.blobs.isWhole(blob) else { return }
        for told in attachments {
            guard let layout = BlobLayout(size: told.size) else { continue }
            try self.tell(
                index,
                .transfer(
                    .fetch(blob, layout, in: .conversation(told.conversation), isAwaited: false)))
        }
    }

    /// A machine has stopped: what its files' thread was to do is not done.
    func stopFiles(_ index: Int, hasPower: Bool) {
        self.machines[index].files.jobs = []
        self.machines[index].files.blobs.stop(hasPower: hasPower, &self.dice.filing)
    }

    // MARK: In the end

    /// Some users fetch all that they can see; to the others comes what was under way.
    func chooseWanters() {
        for index in self.machines.indices where self.dice.filing.chance(60) {
            self.machines[index].files.wantsAll = true
        }
    }

    /// Those users fetch what is not here yet, also where it failed before.
    func fetchLacking() throws {
        for index in self.machines.indices where self.machines[index].files.wantsAll {
            // Of a room that was left nobody gives anything, though a file that is told of in another one,
            // too, may be sought there: each message that tells of it may lead to somebody who has it.
            for file in self.seenFiles(on: index)
            where self.machines[index].store.isJoined(file.conversation) {
                try self.fetch(file.blob, file.layout, in: file.conversation, by: index)
            }
        }
        try self.sendTouched()
    }

    /// A file that somebody wants and another one has, who is to give it; nil for none.
    func lackOfFiles() -> String? {
        for machine in self.machines {
            guard let node = machine.node else { continue }
            var wanted = node.transferReports.compactMap { report in
                report.place.conversation.map { (report.blob, $0) }
            }
            if machine.files.wantsAll {
                wanted += self.seenFiles(on: machine.index).map { ($0.blob, $0.conversation) }
            }
            for (blob, conversation) in wanted
            where !machine.files.blobs.isWhole(blob) && machine.store.isJoined(conversation) {
                guard let holder = self.holder(of: blob, in: conversation, for: machine.index)
                else { continue }
                return "node \(machine.index) still lacks file \(blob.description.prefix(8)), "
                    + "which node \(holder) has"
            }
        }
        return nil
    }

    /// Somebody who has all of a file, and whom a machine may ask.
    private func holder(
        of blob: BlobID, in conversation: ConversationID, for index: Int
    ) -> Int? {
        self.machines.first { other in
            other.isUp && self.meets(index, other.index) && other.files.blobs.isWhole(blob)
                && other.store.isJoined(conversation)
                && other.store.tells(conversation, of: blob)
        }?.index
    }
}

extension ModelStore {
    func isJoined(_ conversation: ConversationID) -> Bool {
        self.rooms[conversation]?.isJoined == true
    }
}
