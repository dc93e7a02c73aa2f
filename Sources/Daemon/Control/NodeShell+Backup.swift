internal import Blobs
internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Backups: from the node to a sealed file, and from one to another start of the daemon.
extension NodeShell {
    // MARK: Writing one

    /// The realms that no administrator has installed.
    var ownRealms: [Realm] { self.realms.realms.filter { self.realms.installed[$0.id] == nil } }

    func backUp(_ params: BackupMethod.Params, _ reply: Reply) throws(RPCError) {
        guard self.holdsPersonKey else {
            throw .refused(
                "this device does not hold your person's key, which a backup is for",
                reason: "noPersonKey",
                remedy: "make the backup on a device that holds it")
        }
        let contacts = self.node.ask { $0.contacts }
        let phrase = try self.backupPhrase(params.phrase)
        guard let blob = contacts.profile.picture?.blob else {
            return try self.backUp(contacts, by: phrase, params, reply)
        }
        self.onFiles { (files) async throws(BlobFailure) in
            try await files.read(.chunk(0), of: blob)
        } then: { result in
            var contacts = contacts
            // A backup without it is better than none.
            if case .success(let content?) = result { contacts.picture = content }
            do throws(RPCError) {
                try self.backUp(contacts, by: phrase, params, reply)
            } catch { reply.fail(error) }
        }
    }

    private func backUp(
        _ contacts: Contacts, by phrase: (phrase: Phrase, isMade: Bool),
        _ params: BackupMethod.Params, _ reply: Reply
    ) throws(RPCError) {
        let (phrase, isMade) = phrase
        let file = params.file
        let backup = Backup(
            person: self.birth.identity.person, time: self.now.wall,
            realms: self.ownRealms, contacts: contacts)
        let result = BackupMethod.Result {
            $0.file = file
            $0.phrase = isMade ? phrase.text : nil
            $0.content = BackupContent(backup)
        }
        let (isPrepared, folder) = (params.prepare == true, self.configuration.dataDirectory)
        try self.makeKey(reply) { () throws(RPCError) in
            guard !isPrepared else { return try Self.checkPlace(file) }
            // One that has the check word was made here when the backup was prepared, and is as good as new.
            if phrase.suite == nil { try Self.judge(phrase) }
            try Self.write(backup, by: phrase, to: file)
            BackupMark(in: folder).set()
        } then: { (_: Void) in
            reply.answer(result)
        }
    }

    private func backupPhrase(
        _ typed: String?
    ) throws(RPCError) -> (phrase: Phrase, isMade: Bool) {
        if let typed {
            do throws(PhraseError) { return (try Phrase(chosen: typed), false) } catch {
                throw RPCError(error)
            }
        }
        var random = SodiumRandom()
        return (Phrase.generate(for: .xchacha20Poly1305, using: &random), true)
    }

    /// Refuses a folder that is not there, and a file that is no backup.
    private static nonisolated func checkPlace(_ file: String) throws(RPCError) {
        let folder = Files.parent(of: file)
        guard Files.exists(folder) else {
            throw .refused(
                "the backup cannot be written: there is no folder \(TerminalText.line(folder))",
                reason: "unwritable", remedy: "create it, or choose an existing folder")
        }
        if Files.exists(file) {
            // A slip of the hand must not cost a file of another kind.
            let size = SealedBackup.limitBytes
            guard let old = try? Files.read(file, limitBytes: size),
                old.starts(with: SealedBackup.beginning)
            else {
                throw .refused(
                    "\(TerminalText.line(file)) exists and is not a backup", reason: "exists",
                    remedy: "choose another name, or move that file away")
            }
        }
    }

    private static nonisolated func write(
        _ backup: Backup, by phrase: Phrase, to file: String
    ) throws(RPCError) {
        try Self.checkPlace(file)
        var random = SodiumRandom()
        let sealed: [UInt8]
        do throws(SealedBackupError) {
            sealed = try SealedBackup.seal(backup, by: phrase, using: &random)
        } catch { throw RPCError(error, file) }
        do throws(SystemError) { try Files.writeAtomically(sealed, to: file, mode: 0o600) } catch {
            throw .refused(
                // The name of the file beside it, which takes its place, would say nothing to anybody.
                "the backup \(TerminalText.line(file)) cannot be written: \(error.cause)",
                reason: "unwritable",
                remedy: error.remedy ?? "choose a folder you may write to")
        }
    }

    // MARK: Reading one

    /// How soon what the disk has refused of a backup is tried again.
    private static let restoreAgainMilliseconds: UInt64 = 30_000
    /// What a restore may take on the disk beside the backup's size: the files of the person and the realms,
    /// and the database's tables.
    private static let restoreBytes: Int64 = 4 << 20
    /// How many copies of the content the disk may hold: opened, in the database, and twice in its log.
    private static let restoreCopies: Int64 = 4

    /// Refuses to begin what the disk would end halfway.
    private static func checkRoom(for file: String, in folder: String) throws(RPCError) {
        let wanted = (Files.size(file) ?? 0) * Self.restoreCopies + Self.restoreBytes
        guard let free = Files.freeBytes(folder), free < wanted else { return }
        throw .storageFailed(
            "a restore may take \((wanted >> 20) + 1) MiB, and \(free >> 20) MiB are free on the file "
                + "system of \(TerminalText.line(folder))",
            remedy: "free some space there, and restore again; nothing has changed")
    }

    func restore(_ params: RestoreMethod.Params, _ reply: Reply) throws(RPCError) {
        try self.checkUnused()
        try Self.checkRoom(for: params.file, in: self.configuration.dataDirectory)
        let pending = PendingRestore(in: self.configuration.dataDirectory, self.birth.safe)
        try self.makeKey(reply) { () throws(RPCError) in
            let backup = try Self.openBackup(params)
            do throws(SystemError) {
                try pending.keep(backup)
            } catch { throw RPCError.storageFailed(error.reason, remedy: error.remedy ?? "") }
            return (content: BackupContent(backup), realms: backup.realms)
        } then: { restored in
            // Somebody may have joined a room or a realm meanwhile, as who this was.
            do throws(RPCError) {
                try self.checkUnused()
                try self.checkRealms(of: restored.realms)
            } catch {
                pending.drop()
                return reply.fail(error)
            }
            reply.answer(restored.content)
            self.log(.notice, "the backup of \(restored.content.person) is restored: restarting")
            self.stop(then: .restart)
        }
    }

    /// Refuses realms that cannot stand beside those that are here.
    func checkRealms(of restored: [Realm]) throws(RPCError) {
        let new = restored.filter { realm in !self.realms.realms.contains { $0.id == realm.id } }
        for realm in new where self.realms[realm.name] != nil {
            throw .refused(
                "you are in a realm \"\(realm.name)\" here that is not the one you would get",
                reason: "realmName",
                remedy:
                    "leave it first (stoa realm leave \(realm.name)), begin again, and join it later "
                    + "under another name")
        }
        guard self.realms.realms.count + new.count <= Limits.realms else {
            throw .refused(
                "with those you would get you would be in more than \(Limits.realms) realms",
                reason: "tooManyRealms", remedy: "leave some first: stoa realm leave NAME")
        }
    }

    /// Refuses to become somebody else where the user has begun already.
    func checkUnused() throws(RPCError) {
        let folder = TerminalText.line(self.configuration.dataDirectory)
        guard self.node.ask({ $0.isUnused }) else {
            throw .refused(
                "this daemon has already been used: it is in rooms or conversations",
                reason: "used",
                remedy: "to begin here anyway, stop stoad, move \(folder) away, start it, "
                    + "and do this first")
        }
        guard !self.birth.identity.isPersonGiven else {
            throw .refused(
                "the person of this daemon is a credential that systemd provides",
                reason: "credential",
                remedy: "remove LoadCredential=\(Identity.personFileName) from the unit first")
        }
    }

    /// Opens a backup; takes half a second, so never on the event loop.
    static nonisolated func openBackup(
        _ params: RestoreMethod.Params
    ) throws(RPCError) -> Backup {
        let (file, typed) = (params.file, params.phrase)
        let phrase: Phrase
        do throws(PhraseError) { phrase = try Phrase(chosen: typed) } catch {
            throw RPCError(error)
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(file, limitBytes: SealedBackup.limitBytes)
        } catch {
            throw .refused(
                "the backup cannot be read: \(error.reason)", reason: "unreadable",
                remedy: error.remedy ?? "give the file that stoa backup wrote")
        }
        do throws(SealedBackupError) { return try SealedBackup.open(bytes, by: phrase) } catch {
            // Where it was meant to be one that Stoa made, the word that is wrong is named.
            if error == .closed {
                do throws(PhraseError) { _ = try Phrase(typed) } catch { throw RPCError(error) }
            }
            throw RPCError(error, file)
        }
    }

    // MARK: After the start

    /// Has the node take on what the backup has that this start began with.
    func takeUpRestored() {
        guard let contacts = self.birth.restored else { return }
        guard !contacts.picture.isEmpty else { return self.takeUp(contacts) }
        // First what the profile names: the disk is asked for it as soon as it stands.
        self.onFiles { (files) async throws(BlobFailure) in
            try await files.take(contacts.picture)
        } then: { result in
            if case .failure(let failure) = result {
                self.log(.warning, "the picture in the backup was not restored: \(failure.text)")
            }
            self.takeUp(contacts)
        }
    }

    private func takeUp(_ contacts: Contacts) {
        let id = self.node.id
        let own = self.birth.identity.person.publicKeys
        var wanted: [Request] = [.restore(contacts)]
        wanted += contacts.rooms.map { .join($0) }
        wanted += contacts.secretRooms.map { .joinSecret($0) }
        wanted += contacts.groups.map { .restoreGroup($0) }
        wanted += contacts.partners.map { .beginDirect($0.person == own ? id : $0.device) }
        self.upkeep.beginRestoring(wanted.count)
        for request in wanted {
            self.request(
                request, PendingRequest(nil, then: .ended { self.takenUp(contacts, isKept: $0) }))
        }
    }

    /// One more part of a backup is done with; once the disk has all, the backup is not needed.
    private func takenUp(_ contacts: Contacts, isKept: Bool) {
        guard let isWhole = self.upkeep.restoredOne(isKept: isKept) else { return }
        guard isWhole else {
            self.log(
                .error,
                "the disk has refused parts of the backup; they are tried again every 30 seconds")
            return self.after(Self.restoreAgainMilliseconds) {
                if self.life.isRunning { self.turn { self.takeUp(contacts) } }
            }
        }
        let pending = PendingRestore(in: self.configuration.dataDirectory, self.birth.safe)
        self.workers.common.run {
            pending.drop()
        } then: { _ in
        }
    }
}

extension BackupContent {
    init(_ backup: Backup) {
        self.init(backup.person.id, backup.realms, backup.contacts, at: backup.time)
    }

    /// - Parameter time: when this was put together, in wall-clock milliseconds.
    init(_ person: PersonID, _ realms: [Realm], _ contacts: Contacts, at time: UInt64) {
        self.init()
        self.person = person.description
        self.name = contacts.profile.name
        self.time = Timestamp(clamping: time)
        self.people = Int64(contacts.standings.count)
        self.realms = Int64(realms.count)
        self.rooms = Int64(
            contacts.rooms.count + contacts.secretRooms.count + contacts.groups.count)
        self.directs = Int64(contacts.partners.count)
    }
}

extension RPCError {
    fileprivate init(_ error: SealedBackupError, _ file: String) {
        let name = TerminalText.line(file)
        switch error {
        case .foreign:
            self = .refused(
                "\(name) is not a Stoa backup", reason: "notBackup",
                remedy: "give the file that stoa backup wrote")
        case .later:
            self = .refused(
                "\(name) was written by a later version of Stoa", reason: "newer",
                remedy: "install that version here")
        case .damaged:
            self = .refused(
                "\(name) is cut short", reason: "damaged", remedy: "use another copy of it")
        case .closed:
            self = .refused(
                "\(name) does not open with this phrase", reason: "wrongPhrase",
                remedy: "check the phrase; if it is right, the file is damaged: use another copy"
            )
        case .outOfMemory: self = .noMemoryForKey("the backup's key")
        }
    }
}
