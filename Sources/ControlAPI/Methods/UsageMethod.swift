/// The method `usage`.
package enum UsageMethod: ControlMethod {
    package static let description = MethodDescription(
        "usage", "Show what takes room on this disk.", result: "usage", errors: [.storageFailed],
        access: .group)

    /// What takes room.
    package struct Result: ControlValue {
        /// How many conversations are listed at most: those that take most.
        package static let listed = 256

        /// The database with its write-ahead log, in bytes.
        package var database: Int64 = 0
        /// What search keeps beside it, in bytes; 0 where nothing was ever searched for.
        package var search: Int64 = 0
        /// What the database may take (`DiskLimit=`), in bytes.
        package var limit: Int64 = 0
        /// What messages of strangers take of it, about, and may take, in bytes.
        package var strangers = DiskShare()
        /// The same of fellows: of those who share a realm with a secret.
        package var fellows = DiskShare()
        /// What the content of files takes, whole or on its way, and may take (`FileLimit=`), in bytes.
        package var files = DiskShare()
        /// What is left on the file system for this user, in bytes.
        package var free: Int64 = 0
        /// The conversations, those first whose texts take most.
        package var conversations: [Conversation] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("database", &self.database)
            visitor.field("search", &self.search)
            visitor.field("limit", &self.limit)
            visitor.field("strangers", &self.strangers)
            visitor.field("fellows", &self.fellows)
            visitor.field("files", &self.files)
            visitor.field("free", &self.free)
            visitor.field("conversations", &self.conversations)
        }
    }

    package struct Conversation: ControlValue {
        package var id = ""
        /// How it is written here; empty where that is not known any longer.
        package var name = ""
        /// How many entries it has: messages, edits, joins, and those whose texts are gone.
        package var entries: Int64 = 0
        /// What their texts take, in bytes.
        package var bytes: Int64 = 0
        /// For how many days its messages are kept; nil for ever.
        package var retainDays: Int64?
        /// How many bytes its messages may take; nil for any number.
        package var retainBytes: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("entries", &self.entries)
            visitor.field("bytes", &self.bytes)
            visitor.field("retainDays", &self.retainDays)
            visitor.field("retainBytes", &self.retainBytes)
        }
    }
}
