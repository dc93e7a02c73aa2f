extension Params {
    /// Named parameters from those whose value is not nil.
    static func named(_ members: KeyValuePairs<String, JSON?>) -> Params {
        .named(JSON.members(members).objectValue ?? [])
    }
}
