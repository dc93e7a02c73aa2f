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
    mutating func take(list: [JSON]) {
        self.running = [:]
        for json in list { self.take(json) }
    }

    mutating func take(_ json: JSON) {
        guard let id = json["id"]?.stringValue else { return }
        switch json["state"]?.stringValue.flatMap({ TransferResult.State(rawValue: $0) }) {
        case .waiting, .seeking, .fetching:
            guard self.running.count < Self.limit || self.running[id] != nil else { return }
            let size = max(1, json.count("size"))
            self.running[id] = Progress(
                name: json.shown("name"), percent: json.count("stored") * 100 / size,
                state: json.shown("state"))
        case .done, .failed, nil: self.running[id] = nil
        }
    }

    /// How far all are, in a few words; nil where none is.
    var text: String? {
        guard let first = self.running.min(by: { $0.key < $1.key })?.value else { return nil }
        let more = self.running.count > 1 ? " and \(self.running.count - 1) more" : ""
        return "\(first.name) \(first.percent) %\(more)"
    }
}
