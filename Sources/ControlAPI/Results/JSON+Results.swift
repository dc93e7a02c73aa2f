extension JSON {
    static func strings(_ strings: [String]) -> JSON { .array(strings.map { .string($0) }) }

    /// The empty object, which `acknowledge` and `unsubscribe` return.
    public static let empty = JSON.object([])
}
