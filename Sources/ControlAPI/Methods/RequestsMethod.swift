/// The method `requests`.
package enum RequestsMethod: ControlMethod {
    package static let description = MethodDescription(
        "requests", "List people who asked to write to you, and groups you were invited to.",
        result: "requests",
        hasLargeAnswer: true,
        details:
            "At most 256 people can wait, one text each; at most 8 can start to from one "
            + "address in an hour. If there are more, the newest from the address with most "
            + "requests is dropped, first those of people who are neither linked nor in a "
            + "room the user has written in. They can ask again.")

    package enum Kind: String, WordValue {
        case person
        case group
    }

    /// Somebody who waits.
    package struct Request: ControlValue {
        package var person = ""
        package var name = ""
        package var ambiguous: Bool?
        package var text = ""
        package var time = Timestamp(milliseconds: 0)
        package var address = ""
        package var kind = Kind.person
        package var group: String?
        package var groupName: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .id,
                "The device of the person; of a group, of the person who invites the user.")
            visitor.field(
                "name", &self.name, .any, "The person's name here; empty if they gave none.")
            visitor.ambiguous(&self.ambiguous)
            visitor.field(
                "text", &self.text, .any,
                "The first text, at most 4,096 bytes; the rest arrives once you accept. Empty for a group."
            )
            visitor.field("time", &self.time, .any, "When it arrived.")
            visitor.field("address", &self.address, .any, "The address it came from.")
            visitor.field(
                "kind", &self.kind, .any,
                "person: they want to write to the user; group: an invitation.")
            visitor.field("group", &self.group, .id, "The group's id; left out for a person.")
            visitor.field(
                "groupName", &self.groupName, .any,
                "The group's name, as its owner wrote it: +ops; left out for a person.")
        }
    }

    /// A group into which the user comes by a link.
    package struct Join: ControlValue {
        package var group = ""
        package var name = ""
        package var time = Timestamp(milliseconds: 0)
        package var waiting = JoinWaitWord.member

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("group", &self.group, .id, "The group's id.")
            visitor.field("name", &self.name, .any, "The group's name in its link: +ops.")
            visitor.field("time", &self.time, .any, "When the user gave the link.")
            visitor.field(
                "waiting", &self.waiting, .any,
                "member: no member has answered; admin: an admin has to agree; else why the link does not work."
            )
        }
    }

    package typealias Params = PageParams

    /// A part of the list.
    package struct Result: ListResult {
        package var items: [Request] = []
        package var next: String?
        package var turnedAway: Int64?
        package var joins: [Join]?

        /// The elements, and a little around them.
        package var expectedBytes: Int { self.items.expectedBytes + 80 }

        /// An empty list.
        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "items", &self.items, .any, "The people who wait, by key, then the groups.")
            visitor.field(
                "next", &self.next, .any,
                "Where the next page begins, for after; left out at the end.")
            visitor.field(
                "turnedAway", &self.turnedAway, .any,
                "How many requests were dropped for lack of room since the daemon started.")
            visitor.field(
                "joins", &self.joins, .any,
                "Groups into which the user comes by a link and is not in yet; decline gives one up. Left out if there are none."
            )
        }
    }
}
