internal import Engine
internal import Formats
internal import Glibc
internal import Crypto

/// The file outside the data directory that remembers what the store had reached.
///
/// One per identity, a few bytes, written anew and synced with the first commit of each start; the
/// mark in it is overwritten in place after each own commit, without a sync.
final class ContinuityFile {
    private static let magic = Array("stoa continuity 1\n".utf8)
    private static let byteLimit = 1_024

    private let path: String
    private var descriptor: Int32 = -1

    /// Names the file; nothing is read.
    init(path: String) { self.path = path }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// What the file says; nil where it is missing, unreadable or damaged: then nothing is proven.
    func read() -> Continuity? {
        let descriptor = open(self.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var isEnded = false
        while !isEnded, bytes.count <= Self.byteLimit {
            let chunk = [UInt8](unsafeUninitializedCapacity: Self.byteLimit) { buffer, count in
                // Nothing read and a failed read both end the file.
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            isEnded = chunk.isEmpty
            bytes += chunk
        }
        return Self.decode(bytes)
    }

    /// Replaces the file and syncs it and its directory; when this throws, the old file stands.
    func replace(with continuity: Continuity) throws(StoreFailure) {
        let temporary = self.path + ".new"
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(temporary, flags, 0o600)
        guard descriptor >= 0 else { throw self.failure("create", temporary) }
        do throws(StoreFailure) {
            let bytes = Self.encode(continuity)
            guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
                throw self.failure("write", temporary)
            }
            guard fsync(descriptor) == 0 else { throw self.failure("sync", temporary) }
            guard rename(temporary, self.path) == 0 else { throw self.failure("rename", temporary) }
            let directory = self.path.lastIndex(of: "/").map { String(self.path[..<$0]) } ?? "."
            try StoreDirectory.sync(directory: directory.isEmpty ? "/" : directory)
        } catch {
            close(descriptor)
            throw error
        }
        if self.descriptor >= 0 { close(self.descriptor) }
        self.descriptor = descriptor
    }

    /// Goes on with the file that is there and syncs what it says, with the mark of `continuity`.
    ///
    /// All but the mark must be in the file already. A torn write proves nothing later on, which
    /// costs an incarnation and continues nothing that was lost.
    func resume(_ continuity: Continuity) throws(StoreFailure) {
        let descriptor = open(self.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw self.failure("open", self.path) }
        let bytes = Self.encode(continuity)
        let isWritten = pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        guard isWritten, fdatasync(descriptor) == 0 else {
            let failure = self.failure("write", self.path)
            close(descriptor)
            throw failure
        }
        if self.descriptor >= 0 { close(self.descriptor) }
        self.descriptor = descriptor
    }

    /// Notes how far own logs have come, in place and without a sync.
    ///
    /// A write that fails leaves an older mark, which proves less but nothing wrong.
    func note(_ continuity: Continuity) {
        guard self.descriptor >= 0 else { return }
        let bytes = Self.encode(continuity)
        _ = pwrite(self.descriptor, bytes, bytes.count, 0)
    }

    private func failure(_ what: String, _ path: String) -> StoreFailure {
        StoreFailure(systemError: errno, doing: what, path: path)
    }

    /// Magic, fields and a hash over both, so that a torn write is told from a whole one.
    static func encode(_ continuity: Continuity) -> [UInt8] {
        var writer = WireWriter(capacity: 192)
        writer.raw(Self.magic)
        writer.raw(continuity.owner.key)
        writer.u64(continuity.starts)
        writer.raw(continuity.token)
        writer.u64(continuity.inode)
        writer.byte(continuity.birthNanoseconds == nil ? 0 : 1)
        writer.u64(UInt64(bitPattern: continuity.birthNanoseconds ?? 0))
        writer.u64(UInt64(bitPattern: continuity.mark))
        writer.raw(BLAKE2b.hash256(writer.bytes))
        return writer.bytes
    }

    /// Reads what ``encode(_:)`` wrote; nil for anything else.
    static func decode(_ bytes: [UInt8]) -> Continuity? {
        do throws(WireError) {
            var reader = WireReader(bytes)
            guard try reader.raw("magic", count: Self.magic.count) == Self.magic else { return nil }
            let owner = PeerID(try reader.bytes32("owner"))
            let starts = try reader.u64("starts")
            let token = try reader.bytes32("token")
            let inode = try reader.u64("inode")
            let hasBirth = try reader.byte("hasBirth") == 1
            let birth = Int64(bitPattern: try reader.u64("birth"))
            let mark = Int64(bitPattern: try reader.u64("mark"))
            let hashed = Array(bytes[..<reader.position])
            guard try reader.bytes32("hash") == BLAKE2b.hash256(hashed) else { return nil }
            try reader.finish("continuity")
            return Continuity(
                owner: owner, starts: starts, token: token, inode: inode,
                birthNanoseconds: hasBirth ? birth : nil, mark: mark)
        } catch {
            return nil
        }
    }
}
