internal import Formats

/// How many links a node has, and for whom: what is counted by host, in a network of any size.
package struct LinkBudget: Hashable, Sendable {
    /// All links but those on trial.
    package var links = Limits.links
    /// Of these, for people whom the user knows, who take the places of others, too.
    package var known = Limits.knownLinks
    /// Of the others, for what this node dials itself: so strangers cannot choose all of its neighbours.
    package var dialled = Limits.dialledLinks
    /// Links for which services are dialled; the others are for peers that dial.
    package var wanted = Limits.wantedLinks
    /// From how many sources a conversation is to be shared before no more of them are looked for.
    package var sources = Limits.soughtSources

    /// What daemons have.
    package init() {}

    /// How many links anybody may have whom the user does not know.
    var forAnybody: Int { self.links - self.known }
}
