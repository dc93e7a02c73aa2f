/// The method `removeConsumer`.
public enum RemoveConsumerMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "removeConsumer", "Remove a durable consumer and all its positions.", result: "removed",
        errors: [.notFound, .refused, .storageFailed], isChange: true)

    /// Which consumer.
    public struct Params: ControlValue {
        /// Its name.
        public var consumer = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("consumer", &self.consumer, .word, "The consumer's name.")
        }
    }
}
