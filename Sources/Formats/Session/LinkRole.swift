/// Which side of a link: it stands in signatures and tags, so that none can be sent back as one's own.
package enum LinkRole: UInt8, Hashable, Sendable {
    /// The side that dialled.
    case initiator = 1
    /// The side that was dialled.
    case responder = 2

    /// The other side.
    package var other: LinkRole { self == .initiator ? .responder : .initiator }
}
