/// A value that closures on one thread share.
public final class Box<Value> {
    /// The value.
    public var value: Value

    /// Holds a value.
    public init(_ value: Value) {
        self.value = value
    }
}
