public import Crypto
public import Engine
public import Posix

/// The content of files, in a folder of its own: cut, hashed and checked, on a thread that may block.
///
/// A file that is whole lies under its name, one that is not under its name and `.part`: of this every
/// chunk that is right is there, which the hashes say when it is opened, so that no kill and no power cut
/// needs more than to read it again. The hashes of larger files lie beside them under `.tree`.
/// `Docs/Data.md`. Knows nothing of messages.
public actor BlobStore {
    private let folder: String
    private let executor: ThreadExecutor
    /// How many bytes all files may take.
    private let quota: UInt64
    /// How many they take, as large as they are to be.
    public private(set) var usedBytes: UInt64 = 0
    private var parts: [BlobID: PartialBlob] = [:]
    private var whole = WholeBlobs()
    private var imports = 0

    private static let partSuffix = ".part"
    private static let treeSuffix = ".tree"
    private static let importSuffix = ".new"

    /// Opens the folder, or makes it; what was cut short while it was copied is removed.
    ///
    /// - Parameter quota: how many bytes files may take of the disk.
    public init(
        folder: String, quota: UInt64, executor: ThreadExecutor
    ) throws(SystemError) {
        self.folder = folder
        self.quota = quota
        self.executor = executor
        try Files.makePrivateDirectory(folder)
        for name in try Files.names(in: folder) {
            if name.hasSuffix(Self.importSuffix) {
                try Files.remove("\(folder)/\(name)")
            } else if !name.hasSuffix(Self.treeSuffix) {
                self.usedBytes += UInt64(clamping: Files.size("\(folder)/\(name)") ?? 0)
            }
        }
    }

    /// The thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.executor.asUnownedSerialExecutor()
    }

    private func path(_ blob: BlobID) -> String { "\(self.folder)/\(blob)" }

    /// Has what is quicker with large files loaded, which small ones are not worth; here, since links may
    /// not wait for it.
    private static func prepare(for layout: BlobLayout) {
        if layout.chunkCount > 4 { OpenSSL.load() }
    }

    /// The files that are there, whole or not, in order.
    public func all() throws(BlobFailure) -> [(blob: BlobID, isWhole: Bool)] {
        var found: [(blob: BlobID, isWhole: Bool)] = []
        do throws(SystemError) {
            for name in try Files.names(in: self.folder) {
                let isPart = name.hasSuffix(Self.partSuffix)
                let text = isPart ? String(name.dropLast(Self.partSuffix.count)) : name
                if let blob = BlobID(text) { found.append((blob, !isPart)) }
            }
        } catch { throw BlobFailure(error) }
        return found
    }

    // MARK: Fetching

    /// Notes that a file is to be fetched of which nothing is here; nothing happens where some of it is.
    ///
    /// From then on ``all()`` gives it, as one that is not whole, also after a restart.
    public func note(_ blob: BlobID) throws(BlobFailure) {
        guard !Files.exists(self.path(blob)) else { return }
        try BlobFailure.of { () throws(SystemError) in
            _ = try RandomAccessFile(writing: self.path(blob) + Self.partSuffix)
        }
    }

    /// Makes ready to store a file, or goes on with one: gives what is there and right.
    ///
    /// Throws where there is no room for it; then nothing is there of one that is not begun, noted or not.
    public func open(_ blob: BlobID, _ layout: BlobLayout) throws(BlobFailure) -> BlobStanding {
        if let standing = self.standing(of: blob, layout) { return standing }
        Self.prepare(for: layout)
        let path = self.path(blob) + Self.partSuffix
        // An empty one was only noted, and has no room yet.
        let isNew = (Files.size(path) ?? 0) == 0
        do throws(BlobFailure) { if isNew { try self.reserve(layout.size) } } catch {
            try? Files.remove(path)
            throw error
        }
        do throws(SystemError) {
            let part = try PartialBlob(
                BlobTree(id: blob, layout: layout), path: path,
                treePath: self.path(blob) + Self.treeSuffix)
            self.parts[blob] = part
            return part.standing
        } catch {
            if isNew {
                try? Files.remove(path)
                self.usedBytes -= min(self.usedBytes, layout.size)
            }
            throw BlobFailure(error)
        }
    }

    /// Counts a new file.
    private func reserve(_ size: UInt64) throws(BlobFailure) {
        guard self.usedBytes + size <= self.quota else { throw .quota }
        if let free = Files.freeBytes(self.folder), UInt64(clamping: free) < size {
            throw .diskFull
        }
        self.usedBytes += size
    }

    /// What of a file is here; nil for nothing.
    public func standing(of blob: BlobID, _ layout: BlobLayout) -> BlobStanding? {
        if let part = self.parts[blob] { return part.standing }
        guard let size = Files.size(self.path(blob)), UInt64(clamping: size) == layout.size else {
            return nil
        }
        return BlobStanding(
            chunks: ChunkSet(all: layout.chunkCount), nodes: Set(layout.nodes))
    }

    /// Stores a part where it is right; gives whether it was.
    public func store(
        _ bytes: [UInt8], as part: BlobPart, of blob: BlobID
    ) throws(BlobFailure) -> Bool {
        // One that has been given up meanwhile.
        guard let partial = self.parts[blob] else { return true }
        do throws(SystemError) { return try partial.store(bytes, as: part) } catch {
            throw BlobFailure(error)
        }
    }

    /// All parts of a file are stored: it is there under its name from here on, also after a power cut.
    public func finish(_ blob: BlobID) throws(BlobFailure) {
        // One that was there already.
        guard let part = self.parts.removeValue(forKey: blob) else { return }
        precondition(part.standing.chunks.isWhole, "a file is whole before it is kept")
        do throws(SystemError) {
            try part.sync()
            try Files.move(self.path(blob) + Self.partSuffix, to: self.path(blob))
            try Files.syncDirectory(self.folder)
        } catch { throw BlobFailure(error) }
    }

    /// Stores no more of a file.
    ///
    /// - Parameter isRemoved: whether what is there of it goes, also where it is whole.
    public func close(_ blob: BlobID, isRemoved: Bool) throws(BlobFailure) {
        self.parts[blob] = nil
        guard isRemoved else { return }
        self.whole.forget(blob)
        do throws(SystemError) {
            for suffix in ["", Self.partSuffix, Self.treeSuffix] {
                let path = self.path(blob) + suffix
                guard let size = Files.size(path) else { continue }
                try Files.remove(path)
                guard suffix != Self.treeSuffix else { continue }
                self.usedBytes -= min(self.usedBytes, UInt64(clamping: size))
            }
        } catch { throw BlobFailure(error) }
    }

    // MARK: Reading

    /// A part of a file; nil where it is not here.
    public func read(_ part: BlobPart, of blob: BlobID) throws(BlobFailure) -> [UInt8]? {
        do throws(SystemError) {
            if let partial = self.parts[blob] { return try partial.read(part) }
            guard let file = try self.whole.file(blob, at: self.path(blob)),
                let layout = BlobLayout(size: file.size), layout.contains(part)
            else { return nil }
            Self.prepare(for: layout)
            let count = layout.byteCount(of: part)
            let bytes: [UInt8]
            if part.isChunk {
                bytes = try file.read(at: layout.offset(of: part.index), count: count)
            } else {
                let tree = try RandomAccessFile(reading: self.path(blob) + Self.treeSuffix)
                bytes = try tree.read(at: layout.treeOffset(of: part), count: count)
            }
            return bytes.count == count ? bytes : nil
        } catch {
            if error.meansNotFound { return nil }
            throw BlobFailure(error)
        }
    }

    /// The first bytes of a file that is whole, by which pictures are known.
    public func beginning(of blob: BlobID) throws(BlobFailure) -> [UInt8] {
        try BlobFailure.of { () throws(SystemError) in
            let file = try self.whole.file(blob, at: self.path(blob))
            return try file?.read(at: 0, count: PictureType.beginningBytes) ?? []
        }
    }

    // MARK: Own files

    /// Copies a file into the folder, encrypted where there is a key: gives its name and its size.
    ///
    /// Throws where there is no room for it, where it is larger than a file may be, or cannot be read;
    /// then nothing is there that was not before. Gives other work of this actor turns.
    public func take(
        _ source: RandomAccessFile, key: Bytes32?
    ) async throws(BlobFailure) -> (blob: BlobID, size: UInt64, isNew: Bool) {
        guard let layout = BlobLayout(size: source.size) else { throw .tooLarge }
        Self.prepare(for: layout)
        self.imports += 1
        let path = "\(self.folder)/\(self.imports)\(Self.importSuffix)"
        try self.reserve(layout.size)
        do throws(BlobFailure) {
            let target = try BlobFailure.of { () throws(SystemError) in
                try RandomAccessFile(writing: path)
            }
            var hashes: [Bytes32] = []
            hashes.reserveCapacity(layout.chunkCount)
            for chunk in 0..<layout.chunkCount {
                hashes.append(try Self.copy(chunk, of: layout, from: source, to: target, key))
                // Parts of other files are waited for on a link.
                await Task.yield()
            }
            guard source.size == layout.size else { throw .sourceChanged }
            let tree = BlobTree(layout: layout, chunks: hashes)
            let isNew = try BlobFailure.of { () throws(SystemError) in
                try self.keep(target, at: path, tree)
            }
            return (tree.id, layout.size, isNew)
        } catch {
            try? Files.remove(path)
            self.usedBytes -= min(self.usedBytes, layout.size)
            throw error
        }
    }

    /// Keeps content as a file of its own; throws as ``take(_:key:)``.
    public func take(_ content: [UInt8]) async throws(BlobFailure) {
        self.imports += 1
        let path = "\(self.folder)/\(self.imports)\(Self.importSuffix)"
        defer { try? Files.remove(path) }
        let source = try BlobFailure.of { () throws(SystemError) in
            let source = try RandomAccessFile(writing: path)
            try source.write(content, at: 0)
            return source
        }
        _ = try await self.take(source, key: nil)
    }

    /// Copies a chunk; gives its hash.
    private static func copy(
        _ chunk: Int, of layout: BlobLayout, from source: RandomAccessFile,
        to target: RandomAccessFile, _ key: Bytes32?
    ) throws(BlobFailure) -> Bytes32 {
        let (place, count) = (layout.offset(of: chunk), layout.byteCount(of: .chunk(chunk)))
        var bytes = try BlobFailure.of { () throws(SystemError) in
            try source.read(at: place, count: count)
        }
        guard bytes.count == count else { throw .sourceChanged }
        if let key { bytes = XChaCha20.apply(key, to: bytes, at: place) }
        try BlobFailure.of { () throws(SystemError) in try target.write(bytes, at: place) }
        return BlobTree.hash(bytes, at: 0)
    }

    /// Gives a copy its name; false where the same content was there already.
    private func keep(
        _ file: RandomAccessFile, at path: String, _ tree: BlobTree
    ) throws(SystemError) -> Bool {
        let name = self.path(tree.id)
        if Files.exists(name) {
            try Files.remove(path)
            self.usedBytes -= min(self.usedBytes, tree.layout.size)
            return false
        }
        if !tree.layout.nodes.isEmpty {
            let nodes = try RandomAccessFile(writing: name + Self.treeSuffix)
            for node in tree.layout.nodes {
                try nodes.write(tree.bytes(of: node) ?? [], at: tree.layout.treeOffset(of: node))
            }
            try nodes.sync()
        }
        try file.sync()
        try Files.move(path, to: name)
        try Files.syncDirectory(self.folder)
        return true
    }
}

extension BlobLayout {
    /// Where a node stands in the file of hashes: the root first.
    func treeOffset(of node: BlobPart) -> UInt64 {
        let before = self.counts.indices.filter { $0 > node.level }.reduce(0) {
            // A level of nodes lists all parts of the one below it.
            $0 + self.counts[$1 - 1]
        }
        return UInt64((before + node.index * BlobLayout.fanOut) * Bytes32.byteCount)
    }
}

/// Why the bytes of a file cannot be stored or read.
public enum BlobFailure: Error, Hashable, Sendable {
    /// The disk is full.
    case diskFull
    /// Files may take no more of the disk.
    case quota
    /// It is larger than 16 GiB.
    case tooLarge
    /// It was changed while it was read.
    case sourceChanged
    /// The system said no.
    case system(SystemError)

    init(_ error: SystemError) {
        self = error.meansDiskFull ? .diskFull : .system(error)
    }

    /// Does something that the system may refuse.
    static func of<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(BlobFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw BlobFailure(error) }
    }
}
