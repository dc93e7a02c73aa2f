/// Who must have a message before `send` has delivered it: the parameter `members`.
package enum DeliveryMembers: Hashable, Sendable {
    /// So many of the members that count; 1 for `any`.
    case count(Int)
    /// All members whom the user knows.
    case all
    /// These people, as they are written, with their `@`.
    case named([String])

    /// The most people who can be named.
    package static let namedLimit = 64

    /// Reads `any`, `all`, a number from 1 to 9999, or one or more `@person` with commas between.
    ///
    /// Throws what is wrong with it, and what would do.
    package init(_ text: String) throws(RPCError) {
        switch text {
        case "any": self = .count(1)
        case "all": self = .all
        default:
            if let count = Int(text), (1...9_999).contains(count), "\(count)" == text {
                self = .count(count)
                return
            }
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
                String($0)
            }
            guard names.allSatisfy({ $0.hasPrefix("@") && $0.utf8.count > 1 }),
                names.count <= Self.namedLimit
            else {
                throw .invalidParams(
                    "\"\(TerminalText.line(text))\" does not say who must have the message",
                    reason: "badMembers",
                    remedy:
                        "give any, all, a number, or up to \(Self.namedLimit) people separated by "
                        + "commas: @ada,@ben",
                    details: [JSON.Member("param", "members")])
            }
            self = .named(names)
        }
    }
}
