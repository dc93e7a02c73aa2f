internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

/// The person's key P, which a backup brings to a device, and which no device gives up that is not in one.
extension NodeShell {
    /// Whether P is here.
    var holdsPersonKey: Bool { self.birth.identity.person.canCertify }

    /// Takes P out of a backup onto this device.
    func promote(_ params: RestoreMethod.Params, _ reply: Reply) throws(RPCError) {
        guard !self.holdsPersonKey else {
            throw .refused(
                "this device holds your person's key already", reason: "holdsPersonKey",
                remedy: "it can approve and revoke devices: see stoa device list")
        }
        let (folder, safe) = (self.configuration.dataDirectory, self.birth.safe)
        try self.setPersonKeys(params, reply) { (person) throws(StartError) in
            try Identity.takeP(of: person, dataDirectory: folder, safe: safe)
            BackupMark(in: folder).set()
            return person
        }
    }

    /// Takes P off this machine, of which a backup is seen to hold it.
    func demote(_ params: RestoreMethod.Params, _ reply: Reply) throws(RPCError) {
        guard self.holdsPersonKey else {
            throw .refused(
                "this device does not hold your person's key", reason: "noPersonKey",
                remedy: "there is nothing to remove here: run it on a device that holds the key")
        }
        let (folder, safe) = (self.configuration.dataDirectory, self.birth.safe)
        let certificate = self.birth.identity.certificate
        try self.setPersonKeys(params, reply) { (person) throws(StartError) in
            try Identity.takeLinked(certificate, person, dataDirectory: folder, safe: safe)
            return person.withoutP
        }
    }

    /// Opens a backup of this person, writes the keys that it leads to, and uses them from then on.
    ///
    /// The disk comes first: a kill in between leaves what the next start takes for either.
    private func setPersonKeys(
        _ params: RestoreMethod.Params, _ reply: Reply,
        _ write: @escaping @Sendable (PersonKeys) throws(StartError) -> PersonKeys
    ) throws(RPCError) {
        guard !self.birth.identity.isPersonGiven else {
            let folder = TerminalText.line(self.configuration.dataDirectory)
            let names = "\(Identity.personFileName) and \(Identity.sealingFileName)"
            throw .refused(
                "your person's keys are credentials that systemd provides, which stoad can neither "
                    + "write nor remove",
                reason: "credential",
                remedy: "move \(names) to \(folder), remove their LoadCredential= from the unit, "
                    + "restart stoad, and try again")
        }
        // The next start would take P out of that, or away with it.
        let pending = PendingRestore(in: self.configuration.dataDirectory, self.birth.safe)
        guard !pending.isKept else {
            throw .busy("what a restore or a linking has brought is still being taken up")
        }
        let own = self.birth.identity.person.publicKeys
        try self.makeKey(reply) { () throws(RPCError) in
            let backup = try Self.openBackup(params)
            guard backup.person.publicKeys == own else {
                throw .refused(
                    "\(TerminalText.line(params.file)) is the backup of another person",
                    reason: "otherPerson", remedy: "use a backup of your own; nothing has changed")
            }
            do throws(StartError) { return try write(backup.person) } catch {
                throw .storageFailed(error.text, remedy: error.remedy)
            }
        } then: { keys in
            self.birth.identity.person = keys
            self.happened(.personKeys(keys))
            self.log(
                .notice,
                keys.canCertify
                    ? "this device holds its person's key now"
                    : "this device does not hold its person's key any more")
            self.answerDevice(self.node.id, reply)
        }
    }
}
