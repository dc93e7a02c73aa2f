/// Something that must never happen did, and when.
package struct Violation: Error, CustomStringConvertible {
    package let text: String

    /// Says what happened.
    package init(_ text: String) { self.text = text }

    package var description: String { self.text }
}
