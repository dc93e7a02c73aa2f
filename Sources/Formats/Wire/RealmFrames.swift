internal import Crypto

/// The bodies of the frames by which two sides find what they share: tags and names.
///
/// `Docs/Protocol/Wire.md` section 3.
enum RealmFrames {
    static func realms(from reader: inout WireReader) throws(WireError) -> Frame {
        let count = try reader.count("realms count", limit: Limits.realmTagCounts.last ?? 0)
        guard Limits.realmTagCounts.contains(count) else { throw .value(field: "realms count") }
        var tags: [Bytes16] = []
        for _ in 0..<count {
            let tag = try Self.tag(from: &reader)
            if let last = tags.last, tag <= last { throw .order(field: "realms") }
            tags.append(tag)
        }
        return .realms(tags)
    }

    static func rooms(from reader: inout WireReader) throws(WireError) -> Frame {
        let tag = try Self.tag(from: &reader)
        let count = try reader.count("rooms count", limit: Limits.roomsPerFrame)
        guard count > 0 else { throw .value(field: "rooms count") }
        var names: [RoomName] = []
        var last: String?
        for _ in 0..<count {
            let text = try reader.text("room name", limit: Limits.nameBytes)
            if let last, !last.utf8.lexicographicallyPrecedes(text.utf8) {
                throw .order(field: "rooms")
            }
            last = text
            // The peer's Unicode may know letters that ours does not: such rooms are not for us.
            if let name = RoomName(text) { names.append(name) }
        }
        return .rooms(tag, names)
    }

    static func shares(from reader: inout WireReader) throws(WireError) -> Frame {
        let count = try reader.count("shares count", limit: Limits.shareTagCounts.last ?? 0)
        guard Limits.shareTagCounts.contains(count) else { throw .value(field: "shares count") }
        var tags: [UInt64] = []
        for _ in 0..<count {
            let tag = try reader.u64("share tag")
            if let last = tags.last, tag <= last { throw .order(field: "shares") }
            tags.append(tag)
        }
        return .shares(tags)
    }

    static func write(_ tags: [Bytes16], to writer: inout WireWriter) {
        writer.varint(tags.count)
        for tag in tags { writer.raw(tag.bytes) }
    }

    static func write(_ tag: Bytes16, _ names: [RoomName], to writer: inout WireWriter) {
        writer.raw(tag.bytes)
        writer.varint(names.count)
        for name in names { writer.text(name.text) }
    }

    static func write(_ tags: [UInt64], to writer: inout WireWriter) {
        writer.varint(tags.count)
        for tag in tags { writer.u64(tag) }
    }

    private static func tag(from reader: inout WireReader) throws(WireError) -> Bytes16 {
        guard let tag = Bytes16(try reader.raw("realm tag", count: 16)) else {
            throw .value(field: "realm tag")
        }
        return tag
    }
}
