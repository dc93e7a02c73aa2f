internal import Crypto
internal import Formats

/// The last word of a person about one of their devices.
struct RevocationWord: Hashable, Sendable {
    var time: HybridTime
    /// Whether the device is that person's again.
    var stands: Bool
}

/// What the people of a conversation of two, or of notes, have said of their devices, as far as that is here.
struct RevocationWords: Hashable, Sendable {
    /// The last words, by the part of a basis item that names person and device.
    private let known: [Bytes32: RevocationWord]
    private let revoked: Set<OwnedDevice>
    /// What a new key names: of each person the newest words by which devices are revoked; none where none is.
    let basis: [ActID]

    init(_ words: [PersonID: [PeerID: RevocationWord]]) {
        var known: [Bytes32: RevocationWord] = [:]
        var revoked: Set<OwnedDevice> = []
        var basis: [ActID] = []
        for (person, devices) in words {
            var items: [RevocationItem] = []
            for (device, word) in devices {
                let item = RevocationItem(of: device, by: person, at: word.time)
                known[item.subject] = word
                guard !word.stands else { continue }
                revoked.insert(OwnedDevice(person: person, device: device))
                items.append(item)
            }
            basis += items.sorted { ($1.time, $1.subject) < ($0.time, $0.subject) }
                .prefix(Limits.directBasis).map(\.id)
        }
        self.known = known
        self.revoked = revoked
        self.basis = basis.sorted()
    }

    var isEmpty: Bool { self.known.isEmpty }

    func isRevoked(_ device: OwnedDevice) -> Bool { self.revoked.contains(device) }

    /// Whether each word that the maker of a key knew is here, or a later one of the same device.
    func covers(_ basis: [ActID]) -> Bool {
        basis.allSatisfy {
            let item = RevocationItem($0)
            return self.known[item.subject].map { $0.time >= item.time } ?? false
        }
    }

    /// Whether own entries may be sealed with a key: its maker knew every device that is revoked, and is none of them.
    ///
    /// A device that was revoked again may have been given what was made between the two.
    func mayUse(_ epoch: Epoch) -> Bool {
        !self.isRevoked(OwnedDevice(person: epoch.maker, device: epoch.device))
            && self.covers(epoch.basis) && Set(self.basis).isSubset(of: epoch.basis)
    }

    /// Whether a key may be handed to a device of the two that is linked.
    func mayGive(_ epoch: Epoch, to device: OwnedDevice) -> Bool {
        !self.isRevoked(device) && self.covers(epoch.basis)
    }
}

extension Limits {
    /// Of how many revoked devices of each of two people a key says that its maker knew them: the newest.
    static let directBasis = 30
}
