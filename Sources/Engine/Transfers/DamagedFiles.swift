internal import Formats

/// Files whose copies here turned out to be damaged or gone, until they are whole again: for the alert.
struct DamagedFiles: Sendable {
    private var found: [(blob: BlobID, name: String)] = []

    /// Notes one, as people are told of it; false where it is known.
    mutating func note(_ blob: BlobID, called name: String) -> Bool {
        guard !self.found.contains(where: { $0.blob == blob }) else { return false }
        self.found.append((blob, name))
        return true
    }

    /// One is whole again or not wanted any longer; gives what it is called, and nil where it is not among
    /// them.
    mutating func end(_ blob: BlobID) -> String? {
        guard let index = self.found.firstIndex(where: { $0.blob == blob }) else { return nil }
        return self.found.remove(at: index).name
    }

    /// What the alert says; nil where all are whole.
    var text: String? {
        guard let first = self.found.first?.name else { return nil }
        let others = self.found.count - 1
        let more =
            switch others {
            case 0: ""
            case 1: " and one more file"
            default: " and \(others) more files"
            }
        return "the copy of \(first)\(more) on this disk was damaged or removed: it "
            + "is downloaded again from peers that have it (stoa transfers), or when it is sent again"
    }
}
