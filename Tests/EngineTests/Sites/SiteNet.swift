import Crypto
import TestSupport

@testable import Engine
@testable import Formats

/// Groups on servers between sites, as nodes see them.
extension GroupNet {
    /// The realm of the group, with a secret.
    static let realm = Realm(
        id: siteSecret().realm, name: RealmName("office") ?? .open, secret: siteSecret().bytes)

    /// What is on the servers after some nodes have published: everything by its subject, the oldest first.
    func published(by numbers: UInt8...) -> [(subject: String, root: SiteRoot, item: SiteItem)] {
        var all: [(String, SiteRoot, SiteItem)] = []
        for number in numbers {
            let node = self[number].node
            let acts = node.siteActs(of: Self.realm, from: 0, bytes: .max).acts
            for (act, root) in acts {
                all.append((root.subject(of: .act(act.id)), root, .act(act)))
            }
            for (run, key) in self.runs(of: number) {
                guard let root = node.siteRoot(of: self.group, under: key) else { continue }
                let item = SiteItem.run(run)
                all.append((root.subject(of: item.name), root, item))
            }
        }
        return all
    }

    /// The letters by which a node gives keys to others and tells them that they were brought in.
    func letters(by number: UInt8) -> [(subject: String, root: SiteRoot, item: SiteItem)] {
        let node = self[number].node
        let certificates = self.nodes.keys.map {
            (Harness.peer($0), Self.person($0).certify(signer($0), at: 1_767_225_600_000))
        }
        let known = Dictionary(certificates) { one, _ in one }
        let invitations = node.siteInvitations(of: Self.realm).compactMap { told in
            known[told.device].flatMap {
                node.letter(.invitation(told.invitation), to: $0, in: Self.realm)
            }
        }
        let keys = node.siteGifts(of: Self.realm).compactMap { gift in
            known[gift.device].flatMap { node.letter(gift, to: $0, in: Self.realm) }
        }
        return (invitations + keys).map { letter, inbox in
            (inbox.root.subject(of: letter.name), inbox.root, letter)
        }
    }

    /// Own runs of a node, each with the key under which it goes.
    private func runs(of number: UInt8) -> [(run: Run, key: Bytes32)] {
        var found: [(Run, Bytes32)] = []
        var keyless: [Run] = []
        for run in self[number].disk[self.log(of: number)] ?? [] {
            let verified = VerifiedRun(run: run, ids: run.ids)
            let keys = run.ids.indices.compactMap { index -> Bytes32? in
                if run.entries[index].epoch != .zero { return run.entries[index].epoch }
                let content = self[number].node.keyring.read(verified.envelope(at: index)).content
                if case .epoch(let told)? = content { return told.id }
                return nil
            }
            guard let key = keys.last else {
                keyless.append(run)
                continue
            }
            found += keyless.map { ($0, key) } + [(run, key)]
            keyless = []
        }
        return found
    }

    /// Gives a node what it would read on servers, as often as anything new comes of it; gives the last verdict of each.
    @discardableResult
    mutating func read(
        _ number: UInt8, _ items: [(subject: String, root: SiteRoot, item: SiteItem)]
    ) -> [SiteVerdict] {
        var verdicts = [SiteVerdict](repeating: .refused(.unsealed), count: items.count)
        var isMore = true
        while isMore {
            isMore = false
            for (index, place) in items.enumerated() where verdicts[index] != .known {
                let verdict = self.give(number, place.item, under: place.root, at: place.subject)
                let isComing =
                    if case .waits(let name) = verdict { name == place.item.name } else { false }
                if verdict == .taken || isComing { isMore = true }
                verdicts[index] = verdict == .taken ? .known : verdict
            }
        }
        return verdicts
    }

    /// Gives a node an item as it would come under a root; what is said of it.
    mutating func give(
        _ number: UInt8, _ item: SiteItem, under root: SiteRoot, at subject: String? = nil
    ) -> SiteVerdict {
        let node = self[number].node
        let subject = subject ?? root.subject(of: item.name)
        let tags = node.siteTags(of: Self.realm)
        let tag = String(subject.split(separator: ".")[1])
        let opened = tags[tag]?.open(root.seal(item), subject: subject)
        let admitted = opened.flatMap { item in
            tags[tag].flatMap { node.admits(item, under: $0) ? item : nil }
        }
        let request = self.ask(number, .importItems([admitted]))
        guard case .imported(let verdicts)? = self[number].answers(of: request).last,
            let verdict = verdicts.first
        else { return .refused(.unsealed) }
        return verdict
    }
}
