/// The method `removeConsumer`.
package enum RemoveConsumerMethod: ControlMethod {
    package static let description = MethodDescription(
        "removeConsumer", "Delete a durable consumer and all its positions.", result: "removed",
        errors: [.notFound, .refused, .storageFailed], isChange: true,
        reasons: [
            "consumerInUse": "the consumer has a reader"
        ])

    package struct Params: ControlValue {
        package var consumer = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("consumer", &self.consumer, .word, "The consumer's name.")
        }
    }
}
