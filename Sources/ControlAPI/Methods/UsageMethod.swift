/// The method `usage`.
package enum UsageMethod: ControlMethod {
    package static let description = MethodDescription(
        "usage", "Show what uses space on this disk.", result: "usage", errors: [.storageFailed],
        access: .group)

    /// What takes room.
    package struct Result: ControlValue {
        /// How many conversations are listed at most: those that take most.
        package static let listed = 256

        package var database: Int64 = 0
        package var search: Int64 = 0
        package var limit: Int64 = 0
        package var strangers = DiskShare()
        package var fellows = DiskShare()
        package var streams: Int64 = 0
        package var files = DiskShare()
        package var free: Int64 = 0
        package var conversations: [Conversation] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "database", &self.database, .any,
                "Size of the database with its write-ahead log, in bytes.")
            visitor.field(
                "search", &self.search, .any,
                "Size of the search index, in bytes; 0 before the first search.")
            visitor.field(
                "limit", &self.limit, .any, "The most the database may use (DiskLimit=), in bytes.")
            visitor.field(
                "strangers", &self.strangers, .any,
                "About how much of it strangers' messages use, and the most they may use, in bytes."
            )
            visitor.field(
                "fellows", &self.fellows, .any, "The same for other members of your realms.")
            visitor.field(
                "streams", &self.streams, .any,
                "How many bytes of it are data of durable streams (StreamsKeep=).")
            visitor.field(
                "files", &self.files, .any,
                "How much file contents use, partial downloads included, and may use (FileLimit=), in bytes."
            )
            visitor.field(
                "free", &self.free, .any, "Free space on the file system for this user, in bytes.")
            visitor.field(
                "conversations", &self.conversations, .any,
                "The 256 conversations whose texts use most, largest first.")
        }
    }

    package struct Conversation: ControlValue {
        package var id = ""
        package var name = ""
        package var entries: Int64 = 0
        package var bytes: Int64 = 0
        package var streamBytes: Int64 = 0
        package var retainDays: Int64?
        package var retainBytes: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The conversation's id.")
            visitor.field(
                "name", &self.name, .any, "The conversation's name here; empty if unknown.")
            visitor.field(
                "entries", &self.entries, .any,
                "How many entries it has: messages, edits, joins, and those whose text is gone.")
            visitor.field(
                "bytes", &self.bytes, .any,
                "Size of their texts and of stream data, in bytes.")
            visitor.field(
                "streamBytes", &self.streamBytes, .any,
                "How many of these bytes are data of durable streams.")
            visitor.field(
                "retainDays", &self.retainDays, .any,
                "How many days its messages are kept; left out for ever.")
            visitor.field(
                "retainBytes", &self.retainBytes, .any,
                "How many bytes of text are kept; left out for any number.")
        }
    }
}
