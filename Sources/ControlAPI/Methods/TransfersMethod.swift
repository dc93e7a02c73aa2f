/// The method `transfers`.
public enum TransfersMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "transfers", "List the files that are fetched, and those that ended last.",
        result: "transfers", errors: [.storageFailed], hasLargeAnswer: true, access: .group)

    /// Which part, and whether to be told more.
    public struct Params: ControlValue {
        /// The most elements to return; nil for 100.
        public var limit: Int64?
        /// The `next` of the page before; nil for the beginning.
        public var after: String?
        /// Whether this connection is told of every change from here on.
        public var follow: Bool?

        /// The first page.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            var page = PageParams()
            (page.limit, page.after) = (self.limit, self.after)
            page.fields(&visitor)
            (self.limit, self.after) = (page.limit, page.after)
            visitor.field(
                "follow", &self.follow, .any,
                "True to be told of every change from here on by the notification transfer, at most every 250 ms for each file."
            )
        }
    }

    /// Those that are under way first.
    public typealias Result = Page<TransferResult>
}
