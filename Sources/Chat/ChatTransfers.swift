import ControlAPI

/// Files that are on their way, as the daemon tells.
struct ChatTransfers: Equatable, Sendable {
    /// A file, and how far it is.
    struct Progress: Equatable, Sendable {
        var name: String
        var percent: Int64
        var state: String
    }

    /// By the message that tells of each; those that have ended go.
    private(set) var running: [String: Progress] = [:]
    /// How many are kept in mind.
    private static let limit = 64

    /// Takes the whole list: what ended while there was no connection is not in it as running.
    mutating func take(list: [TransferResult]) {
        self.running = [:]
        for transfer in list { self.take(transfer) }
    }

    mutating func take(_ transfer: TransferResult) {
        let id = transfer.id
        guard !id.isEmpty else { return }
        switch transfer.state {
        case .waiting, .seeking, .fetching:
            guard self.running.count < Self.limit || self.running[id] != nil else { return }
            let size = max(1, transfer.size)
            self.running[id] = Progress(
                name: transfer.name.shown, percent: transfer.stored * 100 / size,
                state: transfer.state.rawValue)
        case .done, .failed: self.running[id] = nil
        }
    }

    /// How far all are, in a few words; nil where none is.
    var text: String? {
        guard let first = self.running.min(by: { $0.key < $1.key })?.value else { return nil }
        let more = self.running.count > 1 ? " and \(self.running.count - 1) more" : ""
        return "\(first.name) \(first.percent) %\(more)"
    }
}
