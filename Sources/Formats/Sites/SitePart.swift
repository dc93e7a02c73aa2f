/// A part of a file on its way between sites, named as on links and checked in the same way.
///
/// `Docs/Protocol/Sites.md` section 9.
package struct SitePart: Hashable, Sendable {
    /// Which part of which file.
    package struct Name: Hashable, Sendable {
        package var blob: BlobID
        package var part: BlobPart

        package init(_ blob: BlobID, _ part: BlobPart) { (self.blob, self.part) = (blob, part) }

        func write(to writer: inout WireWriter) {
            writer.raw(self.blob.hash)
            writer.byte(UInt8(truncatingIfNeeded: self.part.level))
            writer.varint(self.part.index)
        }
    }

    package var name: Name
    /// Its bytes; none in the place of a part whose message was deleted, and where the file is empty.
    package var bytes: [UInt8]

    package init(_ name: Name, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    var encoded: [UInt8] {
        var writer = WireWriter(capacity: self.bytes.count + 40)
        self.name.write(to: &writer)
        writer.raw(self.bytes)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let blob = BlobID(try reader.bytes32("blob"))
        let level = Int(try reader.byte("blob level"))
        let chunks = Int(BlobLayout.sizeLimit) / BlobLayout.chunkBytes
        let index = try reader.count("blob part", limit: chunks)
        guard reader.remaining <= BlobLayout.partBytes else {
            throw .value(field: "part of a file")
        }
        self.bytes = try reader.raw("part of a file", count: reader.remaining)
        self.name = Name(blob, BlobPart(level: level, index: index))
    }
}

extension BlobLayout {
    /// The part of a number in the order in which parts go to other sites, what checks others first; nil beyond the last.
    package func part(at number: Int) -> BlobPart? {
        var rest = number
        for level in self.counts.indices.reversed() {
            if rest < self.counts[level] { return BlobPart(level: level, index: rest) }
            rest -= self.counts[level]
        }
        return nil
    }
}
