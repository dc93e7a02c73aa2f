internal import Crypto

/// How much of a file a peer has.
///
/// `Docs/Protocol/Files.md` section 2.
package struct BlobHoldings: Hashable, Sendable {
    /// How much.
    package enum Extent: Hashable, Sendable {
        /// Nothing, or it does not serve it to this peer.
        case nothing
        case whole
        /// These chunks, a bit for each; ``ChunkSet``.
        case chunks([UInt8])
    }

    /// The most bytes of chunks: a bit for each of the largest file.
    static let chunksBytes = 8_192

    package var blob: BlobID
    /// How much the sender has of it.
    package var extent: Extent

    package init(_ blob: BlobID, _ extent: Extent) {
        self.blob = blob
        self.extent = extent
    }

    func write(to writer: inout WireWriter) {
        writer.raw(self.blob.hash)
        switch self.extent {
        case .nothing: writer.byte(0)
        case .whole: writer.byte(1)
        case .chunks(let bytes):
            writer.byte(2)
            writer.sized(bytes)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.blob = BlobID(try reader.bytes32("blob"))
        switch try reader.byte("blob extent") {
        case 0: self.extent = .nothing
        case 1: self.extent = .whole
        case 2: self.extent = .chunks(try reader.sized("chunks", limit: Self.chunksBytes))
        default: throw .value(field: "blob extent")
        }
    }
}

/// A request for a part of a file.
package struct BlobWant: Hashable, Sendable {
    /// The asker's number for it, by which it is answered; not used twice on a link.
    package var number: UInt64
    package var blob: BlobID
    package var part: BlobPart

    package init(number: UInt64, blob: BlobID, part: BlobPart) {
        self.number = number
        self.blob = blob
        self.part = part
    }

    func write(to writer: inout WireWriter) {
        writer.varint(self.number)
        writer.raw(self.blob.hash)
        writer.byte(UInt8(self.part.level))
        writer.varint(self.part.index)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.number = try reader.varint("want number")
        self.blob = BlobID(try reader.bytes32("blob"))
        let level = Int(try reader.byte("blob level"))
        let chunks = Int(BlobLayout.sizeLimit) / BlobLayout.chunkBytes
        self.part = BlobPart(level: level, index: try reader.count("blob part", limit: chunks))
    }
}

/// Bytes of a part, in answer to a request.
package struct BlobPiece: Hashable, Sendable {
    /// The most bytes: with what stands around them they fit a plaintext.
    package static let byteLimit = 16_352

    /// The number of the request.
    package var number: UInt64
    /// Where they stand in the part.
    package var offset: Int
    /// The bytes; only those of an empty part are none.
    package var bytes: [UInt8]

    package init(number: UInt64, offset: Int, bytes: [UInt8]) {
        self.number = number
        self.offset = offset
        self.bytes = bytes
    }

    func write(to writer: inout WireWriter) {
        writer.varint(self.number)
        writer.varint(self.offset)
        writer.raw(self.bytes)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.number = try reader.varint("piece number")
        self.offset = try reader.count("piece offset", limit: BlobLayout.partBytes)
        guard reader.remaining <= Self.byteLimit else {
            throw .limit(field: "piece", limit: Self.byteLimit, got: UInt64(reader.remaining))
        }
        self.bytes = try reader.raw("piece", count: reader.remaining)
    }
}
