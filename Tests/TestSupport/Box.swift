/// A value that closures on one thread share.
package final class Box<Value> {
    package var value: Value

    /// Holds a value.
    package init(_ value: Value) {
        self.value = value
    }
}
