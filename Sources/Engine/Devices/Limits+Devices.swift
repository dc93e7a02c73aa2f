internal import Formats

extension Limits {
    /// How long two users have to type each other's digits.
    static let deviceLinkMilliseconds: UInt64 = 600_000
    /// How long the other device has for its first answer: a round trip, and a slow machine.
    static let deviceAnswerMilliseconds: UInt64 = 10_000
    /// How long a code that the user has typed waits for the step that makes it.
    static let deviceOpenMilliseconds: UInt64 = 2_000
    /// Within this time, both of the next hold.
    static let deviceTryMilliseconds: UInt64 = 3_600_000
    /// Wrong digits that a user may type: a guess is right once in 10,000 or more.
    static let deviceTries = 3
    /// Beginnings of one source that are answered: a user begins again a few times, and who looks for two links
    /// with the same code needs some hundred million.
    static let deviceOffersPerSource = 8
    /// The same of all strangers together, beyond which each source has an equal share, one at least.
    static let deviceOffersOfStrangers = 1_024
    /// Sources that are told apart for that: more than a local network has addresses, in a megabyte.
    static let deviceOfferSources = 16_384
}
