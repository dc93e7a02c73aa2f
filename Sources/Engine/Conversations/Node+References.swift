internal import Formats

/// Entries that say something of a message: what counts of them.
///
/// `Docs/Protocol/Entries.md` section 11.
extension Node {
    /// Whether what a message says of another one counts, as far as is known here; true for one that
    /// says nothing of others.
    ///
    /// An edit or a reaction whose message is not here yet counts once that comes; subscribers are told
    /// of it then.
    package func counts(_ message: Message) -> Bool {
        guard let reference = Reference(message.content) else { return true }
        // What a fork has put in dispute says nothing.
        if message.isDisputed { return false }
        let target = reference.target
        guard let conversation = self.conversations.table[message.conversation],
            conversation.logs.has(target.log)
        else { return false }
        let log = conversation.log(target.log)
        return target.seq <= log.head.seq
            && reference.kind.counts(
                from: Authorship(device: message.author, person: self.person(of: message.author)),
                for: Authorship(device: target.log.author, person: log.person))
    }
}
