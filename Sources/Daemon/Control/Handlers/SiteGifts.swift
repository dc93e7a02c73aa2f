internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

/// How many of the letters for members without a link were given.
struct SiteGiftPlace: Equatable {
    /// Of which round; 0 for none since the daemon's start.
    var changes: UInt64 = 0
    var count = 0

    init(changes: UInt64 = 0) { self.changes = changes }

    /// Reads ``text``; the beginning for anything else.
    init(_ changes: String, _ count: String) {
        guard let changes = UInt64(changes, radix: 36), let count = Int(count, radix: 36),
            count >= 0
        else { return }
        (self.changes, self.count) = (changes, count)
    }

    var text: String { "\(String(self.changes, radix: 36))-\(String(self.count, radix: 36))" }
}

/// The letters that were due at one moment: all are given before it is looked again what is due.
struct SiteGiftRound {
    enum Letter {
        case invitation(SiteInvitation, to: PeerID)
        case key(SiteGift)

        var device: PeerID {
            switch self {
            case .invitation(_, let device): device
            case .key(let gift): gift.device
            }
        }

        var group: ConversationID {
            switch self {
            case .invitation(let invitation, _): invitation.group
            case .key(let gift): gift.group
            }
        }
    }

    let changes: UInt64
    let letters: [Letter]
}

/// Letters for members of groups: keys, and that somebody was brought in.
extension NodeShell {
    /// The most letters in a page, and the most certificates that are remembered for them.
    private static let lettersPerPage = 128
    private static let rememberedCertificates = 4_096

    /// Adds what is due of keys and invitations for people who have no link here, which is a page by itself.
    func addGifts(_ page: SitePage, then: @escaping (SitePage) -> Void) {
        var page = page
        guard let round = self.giftRound(at: &page.next.gifts, in: page.realm) else {
            return then(page)
        }
        let due = Array(
            round.letters.dropFirst(page.next.gifts.count).prefix(Self.lettersPerPage))
        self.learnCertificates(of: due) { certificates in
            var bytes = 0
            for letter in due where bytes < Self.giftBytes {
                page.next.gifts.count += 1
                guard let certificate = certificates[letter.device] else { continue }
                bytes += page.add(self.sealed(letter, to: certificate, in: page.realm))
            }
            if page.next.gifts.count >= round.letters.count {
                page.next.gifts.count = Int.max
                self.clients.giftRound = nil
            }
            page.result.more = true
            then(page)
        }
    }

    /// The round that a program is in, or a new one where something else may be due; nil where nothing is.
    private func giftRound(at place: inout SiteGiftPlace, in realm: Realm) -> SiteGiftRound? {
        if place.count < Int.max, let round = self.clients.giftRound,
            round.changes == place.changes
        {
            return round
        }
        let changes = self.node.ask { $0.giftChanges } &+ 1
        guard place.count < Int.max || place.changes != changes else { return nil }
        let letters = self.node.ask { node in
            node.siteInvitations(of: realm).map {
                SiteGiftRound.Letter.invitation($0.invitation, to: $0.device)
            } + node.siteGifts(of: realm).map(SiteGiftRound.Letter.key)
        }
        (place.changes, place.count) = (changes, letters.isEmpty ? Int.max : 0)
        self.clients.giftRound =
            letters.isEmpty ? nil : SiteGiftRound(changes: changes, letters: letters)
        return self.clients.giftRound
    }

    private func sealed(
        _ letter: SiteGiftRound.Letter, to certificate: Certificate, in realm: Realm
    ) -> (letter: SiteItem, inbox: SiteInbox)? {
        self.node.ask { node in
            switch letter {
            case .invitation(let invitation, _):
                node.letter(.invitation(invitation), to: certificate, in: realm)
            case .key(let gift): node.letter(gift, to: certificate, in: realm)
            }
        }
    }

    /// Gives the certificates of devices: what the node does not know the store has.
    private func learnCertificates(
        of due: [SiteGiftRound.Letter], then: @escaping ([PeerID: Certificate]) -> Void
    ) {
        var found: [PeerID: Certificate] = [:]
        for letter in due where found[letter.device] == nil {
            found[letter.device] =
                self.clients.certificates[letter.device]
                ?? self.node.ask { $0.certificate(of: letter.device, in: letter.group) }
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
    /// - Returns: how many bytes it takes.
    fileprivate mutating func add(_ letter: (letter: SiteItem, inbox: SiteInbox)?) -> Int {
        guard let letter else { return 0 }
        let item = ExportItemsMethod.Item(letter.letter, letter.inbox.root, isOwn: true)
        self.result.items.append(item)
        return item.data.bytes.count
    }
}
