package import Crypto

/// A file, as a message tells of it: the content is fetched by its name.
///
/// `Docs/Protocol/Entries.md` section 3. What it is called and of what type it says to be is its
/// author's word; neither says where it may be saved, nor what it holds.
package struct AttachedFile: Hashable, Sendable {
    private static let blobType: UInt64 = 1
    private static let sizeType: UInt64 = 3
    private static let nameType: UInt64 = 5
    private static let mediaType: UInt64 = 7
    private static let captionType: UInt64 = 8
    private static let keyType: UInt64 = 9
    private static let previewType: UInt64 = 10
    private static let fallbackType: UInt64 = 2
    static let mustKnow = [
        Self.blobType, Self.sizeType, Self.nameType, Self.mediaType, Self.keyType,
    ]

    /// The content.
    package var blob: BlobID
    /// Its size in bytes, at most ``BlobLayout/sizeLimit``.
    package var size: UInt64
    /// What it is called, 1 to 255 bytes.
    package var name: String
    /// What it holds, as `image/png`; 1 to 127 bytes.
    package var type: String
    /// What is said with it; nil for nothing.
    package var caption: String?
    /// With what its content is encrypted; nil where it is not.
    package var key: Bytes32?
    /// A small picture of it, for front ends; nil for none.
    package var preview: [UInt8]?

    /// Describes a file; nil where one of its values is beyond its limit.
    package init?(
        blob: BlobID, size: UInt64, name: String, type: String, caption: String? = nil,
        key: Bytes32? = nil, preview: [UInt8]? = nil
    ) {
        guard size <= BlobLayout.sizeLimit,
            (1...Limits.fileNameBytes).contains(name.utf8.count),
            (1...Limits.mediaTypeBytes).contains(type.utf8.count),
            caption.map({ (1...Limits.captionBytes).contains($0.utf8.count) }) ?? true,
            preview.map({ (1...Limits.previewBytes).contains($0.count) }) ?? true
        else { return nil }
        self.blob = blob
        self.size = size
        self.name = name
        self.type = type
        self.caption = caption
        self.key = key
        self.preview = preview
    }

    func write(to writer: inout WireWriter) {
        writer.field(Self.blobType, self.blob.hash.bytes)
        writer.field(Self.fallbackType, text: self.name)
        var size = WireWriter(capacity: 9)
        size.varint(self.size)
        writer.field(Self.sizeType, size.bytes)
        writer.field(Self.nameType, text: self.name)
        writer.field(Self.mediaType, text: self.type)
        if let caption = self.caption { writer.field(Self.captionType, text: caption) }
        if let key = self.key { writer.field(Self.keyType, key.bytes) }
        if let preview = self.preview { writer.field(Self.previewType, preview) }
    }

    init?(_ fields: FieldList) {
        guard let blob = fields.value(of: Self.blobType).flatMap({ Bytes32(Array($0)) }),
            let sizeField = fields.value(of: Self.sizeType),
            let name = fields.text(of: Self.nameType, bytes: 1...Limits.fileNameBytes),
            let type = fields.text(of: Self.mediaType, bytes: 1...Limits.mediaTypeBytes)
        else { return nil }
        var reader = WireReader(Array(sizeField))
        guard let size = try? reader.varint("file size"), reader.remaining == 0 else { return nil }
        let key = fields.value(of: Self.keyType)
        guard key == nil || key?.count == Bytes32.byteCount else { return nil }
        self.init(
            blob: BlobID(blob), size: size, name: name, type: type,
            caption: fields.text(of: Self.captionType, bytes: 1...Limits.captionBytes),
            key: key.flatMap { Bytes32(Array($0)) },
            preview: fields.value(of: Self.previewType).flatMap {
                (1...Limits.previewBytes).contains($0.count) ? Array($0) : nil
            })
    }
}
