/// What newcomers of a group may read.
package enum HistoryWord: String, WordValue {
    case all
    case joined
}

/// What somebody is in a group.
package enum RoleWord: String, WordValue {
    case owner
    case admin
    case member
}

/// What is done about somebody in a group.
package enum GroupActWord: String, WordValue {
    case add
    case remove
    case admin
    case demote

    /// Whether linked members are asked for their acts first.
    package var takesAway: Bool { self == .remove || self == .demote }
}

/// What stands between the user and a group into which they come by a link.
package enum JoinWaitWord: String, WordValue {
    /// No member has been linked since.
    case member
    /// An admin has to let them in.
    case admin
    case expired
    case ended
    case altered
}

/// The name of a parameter that is a group, and what is said of it.
package struct GroupParams: ControlValue {
    package var group = ""

    /// What is said of the parameter that names a group, of whichever method.
    static let summary: StaticString = "A group: +NAME, +REALM/NAME, or its id."

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("group", &self.group, .word, Self.summary)
    }
}
