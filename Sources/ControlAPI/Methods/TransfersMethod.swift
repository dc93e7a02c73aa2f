/// The method `transfers`.
package enum TransfersMethod: ControlMethod {
    package static let description = MethodDescription(
        "transfers", "List downloads, and those that ended recently.",
        result: "transfers", errors: [.storageFailed], hasLargeAnswer: true, access: .group,
        details:
            "Downloads, then the last 64 that ended. Parts of a file that have arrived are "
            + "kept over restarts, and the daemon goes on by itself. Files up to AutoFetch= "
            + "from contacts, and in conversations that are not open rooms, are downloaded "
            + "without being asked for.")

    /// Which part, and whether to be told more.
    package struct Params: ControlValue {
        /// The most elements to return; nil for 100.
        package var limit: Int64?
        /// The `next` of the page before; nil for the beginning.
        package var after: String?
        /// Whether this connection is told of every change from here on.
        package var follow: Bool?

        /// The first page.
        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            var page = PageParams()
            (page.limit, page.after) = (self.limit, self.after)
            page.fields(&visitor)
            (self.limit, self.after) = (page.limit, page.after)
            visitor.field(
                "follow", &self.follow, .any,
                "True: report every later change by the notification transfer, at most every 250 ms for each file."
            )
        }
    }

    /// Those that are under way first.
    package typealias Result = Page<TransferResult>
}
