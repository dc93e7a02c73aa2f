internal import Formats

/// Whom the user knows, and what people say of themselves.
struct Persons: Sendable {
    var people: People
    var profiles: Profiles
}
