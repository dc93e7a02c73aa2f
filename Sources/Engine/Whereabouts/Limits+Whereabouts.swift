package import Formats

/// Bounds of address records.
extension Limits {
    /// Devices whose address records are kept: as many as may be linked.
    package static let addressRecords = links
    /// News of addresses are gathered for so long, and half of it more by chance, before they are passed on.
    static let addressNewsMilliseconds: UInt64 = 1_000
    /// Address records that are sent in one frame: with the largest values they fit one of channel 0.
    static let addressesSentPerFrame = 8
    /// Frames of them that go on a link at a time: less than its control frames may take in the long run.
    static let addressFrames = 4
    /// The own record is written this seldom, however often the addresses change.
    static let addressMilliseconds: UInt64 = 60_000
    /// One that is older is written anew when a link begins.
    static let addressAgeMilliseconds: UInt64 = 7 * dayMilliseconds
    /// One that is older than this is not taken, nor passed on: the machine has gone.
    static let addressOldMilliseconds: UInt64 = 30 * dayMilliseconds
    /// New records that one source may bring at once: all that are kept, four times.
    static let addressBurst = 4 * addressRecords
    /// In this time as many again: each costs a signature.
    static let addressBurstMilliseconds: UInt64 = 3_600_000
    /// Tags of records that a link is remembered to have.
    static let addressTags = 16 * heldAddresses
    /// So many addresses of one device are dialled.
    package static let toldAddresses = 4
    /// A device is dialled so long after its record came: until then discovery may have found it.
    static let toldFirstMilliseconds: UInt64 = 3_000
    /// Addresses that may be dialled at once since records name them.
    package static let toldDialBurst = 128
    /// So many of one host, whoever names it: nobody is to have it asked at port after port.
    package static let toldHostBurst = 6
    /// In this time as many again of both.
    package static let toldDialMilliseconds: UInt64 = 3_600_000
    /// Devices that are dialled at a time since records name them.
    static let toldDials = 8
    /// The longest wait between redials of an address from a record.
    static let toldLastMilliseconds: UInt64 = 3_600_000
    /// Hosts whose dials are counted; those that were not dialled for long are forgotten.
    static let toldHosts = 512
}
