/// The method `usage`.
public enum UsageMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "usage", "Show what takes room on this disk.", result: "usage", errors: [.storageFailed],
        access: .group)

    /// What takes room.
    public struct Result: ControlValue {
        /// How many conversations are listed at most: those that take most.
        public static let listed = 256

        /// The database with its write-ahead log, in bytes.
        public var database: Int64 = 0
        /// What search keeps beside it, in bytes; 0 where nothing was ever searched for.
        public var search: Int64 = 0
        /// What the database may take (`DiskLimit=`), in bytes.
        public var limit: Int64 = 0
        /// What messages of strangers take of it, about, and may take, in bytes.
        public var strangers = DiskShare()
        /// The same of fellows: of those who share a realm with a secret.
        public var fellows = DiskShare()
        /// What the content of files takes, whole or on its way, and may take (`FileLimit=`), in bytes.
        public var files = DiskShare()
        /// What is left on the file system for this user, in bytes.
        public var free: Int64 = 0
        /// The conversations, those first whose texts take most.
        public var conversations: [Conversation] = []

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
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

    /// What a conversation takes.
    public struct Conversation: ControlValue {
        /// Its id.
        public var id = ""
        /// How it is written here; empty where that is not known any longer.
        public var name = ""
        /// How many entries it has: messages, edits, joins, and those whose texts are gone.
        public var entries: Int64 = 0
        /// What their texts take, in bytes.
        public var bytes: Int64 = 0
        /// For how many days its messages are kept; nil for ever.
        public var retainDays: Int64?
        /// How many bytes its messages may take; nil for any number.
        public var retainBytes: Int64?

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("entries", &self.entries)
            visitor.field("bytes", &self.bytes)
            visitor.field("retainDays", &self.retainDays)
            visitor.field("retainBytes", &self.retainBytes)
        }
    }
}
