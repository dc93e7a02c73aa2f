internal import Crypto

/// Logs are told of by buckets, so that what differs is found without telling all.
///
/// `Docs/Protocol/Sync.md` section 3.
package enum LogBucket {
    /// The number of buckets.
    package static let count = 256

    /// The buckets, ascending.
    package static var all: ClosedRange<UInt8> { 0...UInt8.max }

    package static func of(_ name: LogName) -> UInt8 {
        var writer = WireWriter(capacity: 40)
        writer.raw(name.author.key)
        writer.u64(name.incarnation)
        return BLAKE2b.hash256(writer.bytes, personal: .bucket).bytes[0]
    }
}
