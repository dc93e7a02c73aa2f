/// The method `exportItems`.
package enum ExportItemsMethod: ControlMethod {
    package static let description = MethodDescription(
        "exportItems",
        "Take what this node has for other sites, sealed for the servers between them.",
        result: "exported", errors: [.storageFailed, .refused], hasLargeAnswer: true,
        details:
            "For stoa-sites, which publishes each item under its subject and imports what is there under the "
            + "tags. The realm is that of SitesRealm. A server learns sizes, times and how many "
            + "conversations there are, and can neither read nor forge an item. An item published again "
            + "replaces the one that is there. A new request with wait ends one that waits.",
        reasons: [
            "noSites": "Sites and SitesRealm are not both set",
            "notInRealm": "the node is not in that realm, or it is the open one",
        ])

    package struct Params: ControlValue {
        /// The cursor of the last answer; nil for everything.
        package var after: String?
        /// Whether to answer only when there is something.
        package var wait: Bool?
        package var files: Bool?
        package var signals: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "after", &self.after, .word,
                "The cursor of the previous answer; left out: everything, from the beginning.")
            visitor.field(
                "wait", &self.wait, .any,
                "Whether to answer only once there are items, or what is to be subscribed changes.")
            visitor.field(
                "files", &self.files, .any,
                "Whether to give parts of files, too, and to say which are wanted here.")
            visitor.field(
                "signals", &self.signals, .any,
                "Whether to give presence and typing, too: only while the servers can be reached.")
        }
    }

    /// An item, sealed.
    package struct Item: ControlValue {
        package var subject = ""
        package var data = Base64()
        package var mine: Bool?
        package var replaces: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("subject", &self.subject, .any, "Where it belongs.")
            visitor.field("data", &self.data, .any, "The sealed item, in base64.")
            visitor.field(
                "mine", &self.mine, .any,
                "True if this device wrote it, and so publishes it first; left out otherwise.")
            visitor.field(
                "replaces", &self.replaces, .any,
                "True if it takes the place of a known item there: a record, or a run from which texts were deleted."
            )
        }
    }

    package struct Result: ControlValue {
        package var cursor = ""
        package var more: Bool?
        package var items: [Item] = []
        package var tags: [String] = []
        package var servers: [String] = []
        package var credentials: String?
        package var wants: [String]?
        package var fileLimit: Int64?
        package var signals: [Item]?
        package var listens: [String]?

        package var expectedBytes: Int {
            let words = 80 * (self.wants?.count ?? 0) + 32 * (self.listens?.count ?? 0)
            return (self.items + (self.signals ?? [])).reduce(1_024 + words) {
                $0 + $1.data.bytes.count * 4 / 3 + 160
            }
        }

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("cursor", &self.cursor, .any, "Give this as after to get the next items.")
            visitor.field(
                "more", &self.more, .any, "True if there is more now; left out otherwise.")
            visitor.field("items", &self.items, .any, "The items, in the order they came here.")
            visitor.field(
                "tags", &self.tags, .any,
                "The conversations to subscribe to, each as the second part of its subjects."
            )
            visitor.field("servers", &self.servers, .any, "Where the servers are, by Sites.")
            visitor.field(
                "credentials", &self.credentials, .any,
                "The file by which the servers know this user, by SitesCredentials; left out if none."
            )
            visitor.field(
                "wants", &self.wants, .any,
                "The subjects of parts of files that this node looks for, at most 64; left out without files."
            )
            visitor.field(
                "fileLimit", &self.fileLimit, .any,
                "The size of the largest file that is given or wanted, by SitesFileLimit; left out without files."
            )
            visitor.field(
                "signals", &self.signals, .any,
                "Presence and typing, sealed: each is to be published at once or never, and not stored; left out if none is due."
            )
            visitor.field(
                "listens", &self.listens, .any,
                "The tags under which those of others are to be heard; left out without signals.")
        }
    }
}
