internal import Engine
internal import Formats
internal import Posix
internal import Storage

/// The files of which this node has given parts to other sites, so that it can take these back when a message is deleted:
/// then the store does not know any more which file it told of.
///
/// A file of the data directory with 120 bytes for each, `Docs/Data.md`.
struct SiteJournal {
    /// The most files that are remembered; the parts of older ones stay until the servers drop them.
    static let limit = 16_384
    private static let recordBytes = 120
    /// More than anybody sends between two starts.
    private static let fileBytes = 256 << 20
    static let name = "sites.files"

    /// In the order in which they were given; and by which deletion each is gone.
    private(set) var files: [SentFile] = []
    private var known: Set<SentFile> = []
    private var gone: [SentFile: Int64] = [:]

    /// Reads what is there, which is only a part of it after a crash; begins the file anew where it has grown too long.
    init(reading path: String) {
        let bytes = (try? Files.read(path, limitBytes: Self.fileBytes)) ?? []
        var reader = WireReader(bytes)
        while reader.remaining >= Self.recordBytes, let file = try? SentFile(from: &reader) {
            if self.known.insert(file).inserted { self.files.append(file) }
        }
        guard bytes.count > 2 * Self.limit * Self.recordBytes else { return }
        for file in self.files.dropLast(Self.limit) { self.known.remove(file) }
        self.files = self.files.suffix(Self.limit)
        let kept = self.files.flatMap(\.record)
        try? Files.writeAtomically(kept, to: path, mode: 0o600)
    }

    /// Notes a file on the disk.
    static func append(_ file: SentFile, to path: String) throws(SystemError) {
        let journal = try RandomAccessFile(writing: path)
        let whole = journal.size / UInt64(Self.recordBytes) * UInt64(Self.recordBytes)
        try journal.write(file.record, at: whole)
    }

    /// Whether a file is noted.
    func has(_ file: SentFile) -> Bool { self.known.contains(file) }

    /// A file is noted on the disk.
    mutating func noted(_ file: SentFile) {
        guard self.known.insert(file).inserted else { return }
        self.files.append(file)
        guard self.files.count > 2 * Self.limit else { return }
        for file in self.files.prefix(Self.limit) {
            self.known.remove(file)
            self.gone[file] = nil
        }
        self.files.removeFirst(Self.limit)
    }

    /// Those of a conversation of which no deletion is known.
    func open(in conversation: ConversationID) -> [SentFile] {
        self.files.filter { $0.place.key.conversation == conversation && self.gone[$0] == nil }
    }

    /// Files are gone by a deletion, which has an arrival number.
    mutating func note(_ files: [SentFile], goneBy arrival: Int64) {
        for file in files { self.gone[file] = arrival }
    }

    /// Those that are gone by a deletion, in order.
    func gone(by arrival: Int64) -> [SentFile] { self.files.filter { self.gone[$0] == arrival } }
}

extension SentFile {
    fileprivate var record: [UInt8] {
        var writer = WireWriter(capacity: 120)
        writer.raw(self.blob.hash)
        writer.raw(self.place.key.conversation.hash)
        writer.raw(self.place.key.name.author.key)
        writer.u64(self.place.key.name.incarnation)
        writer.u64(self.place.seq)
        writer.u64(self.size)
        return writer.bytes
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        let blob = BlobID(try reader.bytes32("blob"))
        let conversation = ConversationID(try reader.bytes32("conversation"))
        let author = PeerID(try reader.bytes32("author"))
        let name = LogName(author: author, incarnation: try reader.u64("incarnation"))
        let seq = try reader.u64("number")
        self.init(
            EntryPlace(key: LogKey(conversation: conversation, name: name), seq: seq), blob,
            size: try reader.u64("size"))
    }
}
