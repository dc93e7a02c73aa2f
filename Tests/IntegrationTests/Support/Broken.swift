/// What ends a test: a program, a lab or a deadline did not do what the test needs to go on.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
