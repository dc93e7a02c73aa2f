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

    /// One is whole again or not wanted any longer; false where it is not among them.
    mutating func end(_ blob: BlobID) -> Bool {
        guard let index = self.found.firstIndex(where: { $0.blob == blob }) else { return false }
        self.found.remove(at: index)
        return true
    }

    /// What the alert says; nil where all are whole.
    var text: String? { self.found.first.map { self.text(of: $0.name) } }

    /// What the log says of it, which has no names of files: a lock hides those of private conversations.
    var loggedText: String? { self.found.first.map { self.text(of: Self.loggedName(of: $0.blob)) } }

    static func loggedName(of blob: BlobID) -> String { "file \(blob.description.prefix(8))" }

    private func text(of first: String) -> String {
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
