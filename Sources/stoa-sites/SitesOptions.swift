/// What `stoa-sites` was started with.
struct SitesOptions {
    /// What the stream is to be.
    struct Setup {
        /// How long messages stay, in days.
        var days: Int64 = 90
        /// What they may take, in bytes.
        var bytes: Int64 = 10 << 30
        /// The same for files.
        var fileDays: Int64 = 30
        var fileBytes: Int64 = 8 << 30
        /// On how many servers each message is.
        var replicas: Int32 = 1
    }

    var socket: String?
    /// Nil to run.
    var setup: Setup?

    /// Reads the words; nil where they make no sense.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--socket":
                guard let path = rest.popFirst(), !path.isEmpty else { return nil }
                self.socket = path
            case "--setup": self.setup = self.setup ?? Setup()
            case "--days":
                guard let days = Self.number(rest.popFirst(), 1...36_500) else { return nil }
                self.setup?.days = days
            case "--size":
                guard let bytes = Self.number(rest.popFirst(), 1 << 20...1 << 50) else {
                    return nil
                }
                self.setup?.bytes = bytes
            case "--file-days":
                guard let days = Self.number(rest.popFirst(), 1...36_500) else { return nil }
                self.setup?.fileDays = days
            case "--file-size":
                guard let bytes = Self.number(rest.popFirst(), 1 << 20...1 << 50) else {
                    return nil
                }
                self.setup?.fileBytes = bytes
            case "--replicas":
                guard let count = Self.number(rest.popFirst(), 1...5) else { return nil }
                self.setup?.replicas = Int32(count)
            default: return nil
            }
        }
    }

    private static func number(_ text: String?, _ range: ClosedRange<Int64>) -> Int64? {
        text.flatMap { Int64($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
}
