/// The own clock, by which everything is decided, and those of others, for a warning.
struct Clocks: Sendable {
    var own: NodeTime
    var peers = PeerClocks()
}
