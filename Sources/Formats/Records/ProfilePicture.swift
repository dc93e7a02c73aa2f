internal import Crypto

/// The picture of a person, as their profile names it: a blob of one chunk.
///
/// `Docs/Protocol/Entries.md` section 10.
package struct ProfilePicture: Hashable, Sendable {
    /// The content.
    package let blob: BlobID
    /// Its size in bytes, 1 to ``Limits/pictureBytes``.
    package let size: UInt64

    /// Names a picture; nil where its size is beyond the limit.
    package init?(blob: BlobID, size: UInt64) {
        guard (1...UInt64(Limits.pictureBytes)).contains(size) else { return nil }
        self.blob = blob
        self.size = size
    }

    /// Names a picture by its content; nil where its size is beyond the limit.
    package init?(content: [UInt8]) {
        guard let layout = BlobLayout(size: UInt64(content.count)), layout.chunkCount == 1 else {
            return nil
        }
        let tree = BlobTree(layout: layout, chunks: [BlobTree.hash(content, at: 0)])
        self.init(blob: tree.id, size: layout.size)
    }

    /// Its one chunk.
    package var layout: BlobLayout {
        guard let layout = BlobLayout(size: self.size) else {
            preconditionFailure("a picture is smaller than a file may be")
        }
        return layout
    }

    var encoded: [UInt8] {
        var writer = WireWriter(capacity: Bytes32.byteCount + 3)
        writer.raw(self.blob.hash)
        writer.varint(self.size)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let blob = BlobID(try reader.bytes32("picture"))
        let size = try reader.varint("picture size")
        guard reader.remaining == 0, let picture = ProfilePicture(blob: blob, size: size) else {
            throw .value(field: "picture")
        }
        self = picture
    }
}

/// What the user wants of the own picture.
package enum PictureChange: Hashable, Sendable {
    /// The one there is, or none.
    case keep
    case none
    /// This one, whose content is here.
    case take(ProfilePicture)
}

/// What a picture may be, as its first bytes say; the rest is read by whoever shows it.
package enum PictureType: String, Hashable, Sendable, CaseIterable {
    /// Its first eight bytes: PNG, third edition, section 5.2.
    case png
    /// Its first marker and the beginning of the next one: ITU T.81, B.2.1.
    case jpeg
    /// A RIFF container of that type: RFC 9649, section 2.4.
    case webp

    /// How many bytes tell.
    package static let beginningBytes = 12

    /// Tells by at least the first twelve bytes of a picture; nil for what is none of them.
    package init?(beginning bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.beginningBytes))
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).elementsEqual("WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
