/// The parameters of `whois`.
public struct WhoisParams: Equatable, Sendable {
    /// `@name`, or `@` and a key prefix of 8 or more characters.
    public let person: String

    /// Makes parameters for a request.
    public init(person: String) { self.person = person }

    /// Reads parameters; throws `invalidParams`.
    public init(_ params: Params) throws(RPCError) {
        self.person = try Arguments(params, for: Methods.whois).requiredString("person")
    }

    /// The parameters by name.
    public var params: Params { .named(["person": .string(self.person)]) }
}
