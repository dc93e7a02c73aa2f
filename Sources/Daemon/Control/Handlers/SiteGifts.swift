internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// How many of the keys for members without a link were given.
struct SiteGiftPlace: Equatable {
    /// Of which change these are; 0 for none since the daemon's start.
    var changes: UInt64 = 0
    var count = 0

    init() {}

    /// Reads ``text``; the beginning for anything else.
    init(_ changes: String, _ count: String) {
        guard let changes = UInt64(changes, radix: 36), let count = Int(count, radix: 36),
            count >= 0
        else { return }
        (self.changes, self.count) = (changes, count)
    }

    var text: String { "\(String(self.changes, radix: 36))-\(String(self.count, radix: 36))" }
}

/// Letters for members of groups: keys, and that somebody was brought in.
extension NodeShell {
    /// The most letters in a page, and the most certificates that are remembered for them.
    private static let lettersPerPage = 128
    private static let rememberedCertificates = 4_096

    /// Adds what is new of keys and invitations for people who have no link here.
    func addGifts(_ page: SitePage, then: @escaping (SitePage) -> Void) {
        let realm = page.realm
        let changes = self.node.ask { $0.giftChanges } &+ 1
        var page = page
        if page.next.gifts.changes != changes {
            (page.next.gifts.changes, page.next.gifts.count) = (changes, 0)
        }
        guard page.next.gifts.count < Int.max else { return then(page) }
        let (invitations, gifts) = self.node.ask {
            ($0.siteInvitations(of: realm), $0.siteGifts(of: realm))
        }
        let first = page.next.gifts.count
        let (left, more) =
            (invitations.dropFirst(first), gifts.dropFirst(max(0, first - invitations.count)))
        let due =
            left.prefix(Self.lettersPerPage).map { ($0.device, $0.invitation.group) }
            + more.prefix(Self.lettersPerPage).map { ($0.device, $0.group) }
        self.learnCertificates(of: due) { certificates in
            for (invitation, device) in left.prefix(Self.lettersPerPage) {
                guard let certificate = certificates[device] else { continue }
                let letter = self.node.ask {
                    $0.letter(.invitation(invitation), to: certificate, in: realm)
                }
                page.add(letter)
            }
            for gift in more.prefix(Self.lettersPerPage - min(left.count, Self.lettersPerPage)) {
                guard let certificate = certificates[gift.device] else { continue }
                page.add(self.node.ask { $0.letter(gift, to: certificate, in: realm) })
            }
            let isAll = left.count + more.count <= Self.lettersPerPage
            page.next.gifts.count = isAll ? Int.max : first + Self.lettersPerPage
            if !isAll { page.result.more = true }
            then(page)
        }
    }

    /// Gives the certificates of devices: what the node does not know the store has.
    private func learnCertificates(
        of due: [(device: PeerID, group: ConversationID)],
        then: @escaping ([PeerID: Certificate]) -> Void
    ) {
        var found: [PeerID: Certificate] = [:]
        for (device, group) in due where found[device] == nil {
            found[device] =
                self.clients.certificates[device]
                ?? self.node.ask { $0.certificate(of: device, in: group) }
        }
        let lacking = Set(due.map(\.device)).subtracting(found.keys)
        guard !lacking.isEmpty else { return then(found) }
        let keyring = self.keyring
        self.ask { (store) async throws(StoreFailure) in
            try await store.certificates(of: lacking, by: keyring)
        } then: { result in
            let read = (try? result.get()) ?? [:]
            if self.clients.certificates.count + read.count > Self.rememberedCertificates {
                self.clients.certificates = [:]
            }
            self.clients.certificates.merge(read) { $1 }
            then(found.merging(read) { $1 })
        }
    }
}

extension SitePage {
    fileprivate mutating func add(_ letter: (letter: SiteItem, inbox: SiteInbox)?) {
        guard let letter else { return }
        self.result.items.append(
            ExportItemsMethod.Item(letter.letter, letter.inbox.root, isOwn: true))
    }
}
