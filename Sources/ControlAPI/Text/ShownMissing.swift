extension MissingResult {
    /// `3 messages by Ada are missing; Ben has them`.
    package var text: String {
        let isOne = self.count == 1
        let holders = self.holders.map { ShownPerson(name: $0).quoted }
        let who =
            holders.isEmpty
            ? "nobody here has "
            : holders.joined(separator: ", ") + (holders.count == 1 ? " has " : " have ")
        return "\(self.count) \(isOne ? "message" : "messages") by \(self.shownAuthor.quoted) "
            + "\(isOne ? "is" : "are") missing; \(who)\(isOne ? "it" : "them")"
    }

    /// A line for each author, and one for those who are left out.
    package static func lines(_ missing: [MissingResult]?, more: Int64?) -> [String] {
        (missing ?? []).map(\.text) + Self.rest(more)
    }

    /// All in one line: of the first two, and how many others there are.
    package static func line(_ missing: [MissingResult], more: Int64?) -> String? {
        guard !missing.isEmpty else { return nil }
        let others = Int64(max(0, missing.count - Self.inLine)) + (more ?? 0)
        return (missing.prefix(Self.inLine).map(\.text) + Self.rest(others))
            .joined(separator: "; ")
    }

    private static let inLine = 2

    private static func rest(_ more: Int64?) -> [String] {
        guard let more, more > 0 else { return [] }
        return ["messages by \(more) other \(more == 1 ? "person" : "people") are missing"]
    }
}
