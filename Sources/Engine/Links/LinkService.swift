internal import Formats

/// A want of the peer that is being served.
struct Serving: Hashable, Sendable {
    var key: LogKey
    var tag: UInt64
    var from: UInt64
    var through: UInt64
}

/// Payloads that the peer asks for, as far as they are not yet sent.
struct PayloadServing: Hashable, Sendable {
    var key: LogKey
    var tag: UInt64
    var from: UInt64
    var through: UInt64
}

/// What the peer of a link is to be sent of logs and records, and what of it the store is being asked for.
struct LinkService: Sendable {
    /// Logs that are fed and of which the peer has not been sent all: those whose push had no
    /// credit, until the store has brought the rest.
    var lagging = Turns<LogKey>()
    var isReadingLive = false
    var serving: [Serving] = []
    var isReadingSync = false
    /// Conversations of which the peer is owed something; nil stands for records of any.
    var owing = Turns<ConversationID?>()
    var owedRecords = OwedRecords()
    var isReadingProof = false
    /// The payloads that the peer asks for; a new question takes the place of the one before.
    var payloads: PayloadServing?
    var isReadingPayloads = false
}
