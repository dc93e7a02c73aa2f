package import Crypto
package import Engine
package import Formats
package import Posix

/// The content of files, in a folder of its own: cut, hashed and checked, on a thread that may block.
///
/// A file that is whole lies under its name, one that is not under its name and `.part`: of this every
/// chunk that is right is there, which the hashes say when it is opened, so that no kill and no power cut
/// needs more than to read it again. The hashes of larger files lie beside them under `.tree`, which is
/// empty for small ones: where it is alone, the file is lost.
///
/// Nothing is given that its hashes do not vouch for. What turns out to be wrong on reading throws
/// ``BlobFailure/damaged``, and from then on the file is one that is not whole: what is right of it counts
/// when it is opened to be fetched again. `Docs/Data.md`. Knows nothing of messages.
package actor BlobStore {
    private let folder: String
    private let executor: ThreadExecutor
    /// How many bytes all files may take.
    package nonisolated let quota: UInt64
    /// How many they take, as large as they are to be.
    package private(set) var usedBytes: UInt64 = 0
    /// How many of them each has.
    private var counted: [BlobID: UInt64] = [:]
    private var parts: [BlobID: PartialBlob] = [:]
    private var whole = WholeBlobs()
    private var imports = 0

    static let partSuffix = ".part"
    static let treeSuffix = ".tree"
    private static let importSuffix = ".new"

    /// Opens the folder, or makes it; what was cut short while it was copied is removed.
    ///
    /// - Parameter quota: how many bytes files may take of the disk.
    package init(
        folder: String, quota: UInt64, executor: ThreadExecutor
    ) throws(SystemError) {
        self.folder = folder
        self.quota = quota
        self.executor = executor
        try Files.makePrivateDirectory(folder)
        for name in try Files.names(in: folder) {
            if name.hasSuffix(Self.importSuffix) {
                do throws(SystemError) { try Files.remove("\(folder)/\(name)") } catch {
                    // Where nothing can be removed nothing is written either.
                    guard error.meansReadOnly else { throw error }
                }
            } else if !name.hasSuffix(Self.treeSuffix),
                let blob = BlobID(String(name.prefix(2 * Bytes32.byteCount)))
            {
                let size = UInt64(clamping: Files.size("\(folder)/\(name)") ?? 0)
                self.counted[blob, default: 0] += size
                self.usedBytes += size
            }
        }
    }

    /// The thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.executor.asUnownedSerialExecutor()
    }

    private func path(_ blob: BlobID) -> String { "\(self.folder)/\(blob)" }

    /// Has what is quicker with large files loaded, which small ones are not worth; here, since links may
    /// not wait for it.
    private static func prepare(for layout: BlobLayout) {
        if layout.chunkCount > 4 { OpenSSL.load() }
    }

    /// The files that are there or should be, in order.
    package func all() throws(BlobFailure) -> [(blob: BlobID, presence: BlobPresence)] {
        try Self.all(in: self.folder)
    }

    static func all(
        in folder: String
    ) throws(BlobFailure) -> [(blob: BlobID, presence: BlobPresence)] {
        var found: [BlobID: BlobPresence] = [:]
        let names = try BlobFailure.of { () throws(SystemError) in
            try Files.names(in: folder)
        }
        for name in names {
            guard let blob = BlobID(String(name.prefix(2 * Bytes32.byteCount))) else { continue }
            switch name.dropFirst(2 * Bytes32.byteCount) {
            case "": found[blob] = .whole
            case Self.partSuffix: if found[blob] == nil { found[blob] = .partial }
            case Self.treeSuffix: if found[blob] == nil { found[blob] = .lost }
            default: break
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Fetching

    /// Notes that a file is to be fetched of which nothing is here; nothing happens where some of it is.
    ///
    /// From then on ``all()`` gives it, as one that is not whole, also after a restart.
    package func note(_ blob: BlobID) throws(BlobFailure) {
        guard !Files.exists(self.path(blob)) else { return }
        try BlobFailure.of { () throws(SystemError) in
            for suffix in [Self.partSuffix, Self.treeSuffix] {
                _ = try RandomAccessFile(writing: self.path(blob) + suffix)
            }
        }
    }

    /// Makes ready to store a file, or goes on with one: gives what is there and right.
    ///
    /// Throws where there is no room for it; then nothing is there of one that is not begun, noted or not.
    package func open(_ blob: BlobID, _ layout: BlobLayout) throws(BlobFailure) -> BlobStanding {
        // What is damaged or lost is fetched again.
        if let standing = (try? self.standing(of: blob, layout)) ?? nil { return standing }
        Self.prepare(for: layout)
        let path = self.path(blob) + Self.partSuffix
        let earlier = self.counted[blob] ?? 0
        let isNew = (Files.size(path) ?? 0) == 0
        let isKnown = Files.exists(self.path(blob) + Self.treeSuffix)
        do throws(BlobFailure) {
            // An empty one was only noted, and has no room yet.
            try self.reserve(layout.size - min(layout.size, earlier))
        } catch {
            if isNew { try? Files.remove(path) }
            if isNew, earlier == 0 { try? Files.remove(self.path(blob) + Self.treeSuffix) }
            throw error
        }
        do throws(SystemError) {
            let part = try PartialBlob(
                BlobTree(id: blob, layout: layout), path: path,
                treePath: self.path(blob) + Self.treeSuffix)
            self.parts[blob] = part
            self.counted[blob] = max(earlier, layout.size)
            return part.standing
        } catch {
            self.usedBytes -= layout.size - min(layout.size, earlier)
            if isNew {
                try? Files.remove(path)
                if !isKnown { try? Files.remove(self.path(blob) + Self.treeSuffix) }
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
    ///
    /// Throws ``BlobFailure/damaged`` where it was whole, and is gone or has another size.
    package func standing(
        of blob: BlobID, _ layout: BlobLayout
    ) throws(BlobFailure) -> BlobStanding? {
        if let part = self.parts[blob] { return part.standing }
        guard let size = Files.size(self.path(blob)) else {
            if self.isLost(blob) { throw .damaged }
            return nil
        }
        guard UInt64(clamping: size) == layout.size else {
            // Either the message is wrong or the file, which its root says.
            _ = try self.withWhole(blob) { _ in }
            return nil
        }
        return BlobStanding(
            chunks: ChunkSet(all: layout.chunkCount), nodes: Set(layout.nodes))
    }

    /// About how many bytes of a file that is not whole are here: what was written, right or not.
    ///
    /// It is not read, as ``open(_:_:)`` does.
    package func writtenBytes(of blob: BlobID, _ layout: BlobLayout) -> UInt64 {
        guard let file = try? RandomAccessFile(reading: self.path(blob) + Self.partSuffix) else {
            return 0
        }
        var count: UInt64 = 0
        var place: UInt64 = 0
        while place < layout.size, let data = file.firstData(from: place), data < layout.size {
            let chunk = Int(data / UInt64(BlobLayout.chunkBytes))
            count += UInt64(layout.byteCount(of: .chunk(chunk)))
            place = layout.offset(of: chunk + 1)
        }
        return count
    }

    /// Whether a file that should be here is gone.
    private func isLost(_ blob: BlobID) -> Bool {
        Files.exists(self.path(blob) + Self.treeSuffix)
            && !Files.exists(self.path(blob) + Self.partSuffix)
    }

    /// Stores a part where it is right; gives whether it was.
    package func store(
        _ bytes: [UInt8], as part: BlobPart, of blob: BlobID
    ) throws(BlobFailure) -> Bool {
        // One that has been given up meanwhile.
        guard let partial = self.parts[blob] else { return true }
        do throws(SystemError) { return try partial.store(bytes, as: part) } catch {
            throw BlobFailure(error)
        }
    }

    /// All parts of a file are stored: it is there under its name from here on, also after a power cut.
    package func finish(_ blob: BlobID) throws(BlobFailure) {
        // One that was there already.
        guard let part = self.parts.removeValue(forKey: blob) else { return }
        precondition(part.standing.chunks.isWhole, "a file is whole before it is kept")
        do throws(SystemError) {
            try part.sync()
            try Files.move(self.path(blob) + Self.partSuffix, to: self.path(blob))
            try Files.syncDirectory(self.folder)
        } catch {
            // Somebody has removed it meanwhile.
            throw error.meansNotFound ? .damaged : BlobFailure(error)
        }
    }

    /// Stores no more of a file.
    ///
    /// - Parameter isRemoved: whether what is there of it goes, also where it is whole.
    package func close(_ blob: BlobID, isRemoved: Bool) throws(BlobFailure) {
        self.parts[blob] = nil
        guard isRemoved else { return }
        self.whole.forget(blob)
        do throws(SystemError) {
            for suffix in ["", Self.partSuffix, Self.treeSuffix] {
                try Files.remove(self.path(blob) + suffix)
            }
            self.usedBytes -= self.counted.removeValue(forKey: blob) ?? 0
        } catch { throw BlobFailure(error) }
    }

    // MARK: Reading

    /// A part of a file; nil where it is not here.
    ///
    /// Throws ``BlobFailure/damaged`` where it is wrong.
    package func read(_ part: BlobPart, of blob: BlobID) throws(BlobFailure) -> [UInt8]? {
        guard let partial = self.parts[blob] else {
            return try self.withWhole(blob) { (file) throws(BlobFailure) in try file.read(part) }
                ?? nil
        }
        do throws(BlobFailure) { return try partial.read(part) } catch {
            if error == .damaged { self.parts[blob] = nil }
            throw error
        }
    }

    /// The first bytes of a file that is whole, by which pictures are known.
    package func beginning(of blob: BlobID) throws(BlobFailure) -> [UInt8] {
        Array((try self.read(.chunk(0), of: blob) ?? []).prefix(PictureType.beginningBytes))
    }

    /// Does something with a file that is whole; nil where it is not here.
    ///
    /// From damage on it is whole no longer.
    private func withWhole<Result>(
        _ blob: BlobID, _ body: (WholeBlob) throws(BlobFailure) -> Result
    ) throws(BlobFailure) -> Result? {
        do throws(BlobFailure) {
            if let known = self.whole.file(blob) { return try body(known) }
            guard Files.exists(self.path(blob)) else {
                if self.isLost(blob) { throw .damaged }
                return nil
            }
            let opened = try self.openWhole(blob)
            self.whole.keep(opened, as: blob)
            return try body(opened)
        } catch {
            if error == .damaged { self.demote(blob) }
            throw error
        }
    }

    private func openWhole(_ blob: BlobID) throws(BlobFailure) -> WholeBlob {
        if let size = Files.size(self.path(blob)),
            let layout = BlobLayout(size: UInt64(clamping: size))
        {
            Self.prepare(for: layout)
        }
        return try WholeBlob(
            blob, path: self.path(blob), treePath: self.path(blob) + Self.treeSuffix)
    }

    /// Takes a damaged file for one that is not whole.
    private func demote(_ blob: BlobID) {
        self.whole.forget(blob)
        // Where it is gone, or cannot be renamed, reading it finds the same again.
        try? Files.move(self.path(blob), to: self.path(blob) + Self.partSuffix)
    }

    // MARK: Reading all of it

    /// Reads about so many bytes of files that are whole, from a place on; gives those that are damaged.
    ///
    /// The next call goes on at the place that it gives; nil where all were read. Other work has turns
    /// in between.
    package func scrub(
        from start: BlobPlaceOnDisk?, bytes: UInt64
    ) async throws(BlobFailure) -> (damaged: [BlobID], next: BlobPlaceOnDisk?) {
        var damaged: [BlobID] = []
        var read: UInt64 = 0
        for (blob, presence) in try self.all() where start.map({ blob >= $0.blob }) ?? true {
            guard presence == .whole else {
                if presence == .lost, self.parts[blob] == nil { damaged.append(blob) }
                continue
            }
            // Opened anew, since what is open knows its hashes already.
            self.whole.forget(blob)
            var chunk = blob == start?.blob ? start?.chunk ?? 0 : 0
            do throws(BlobFailure) {
                while true {
                    read += UInt64(BlobLayout.chunkBytes)
                    guard try self.read(.chunk(chunk), of: blob) != nil else { break }
                    chunk += 1
                    if read >= bytes { return (damaged, BlobPlaceOnDisk(blob: blob, chunk: chunk)) }
                    await Task.yield()
                }
            } catch {
                guard error == .damaged else { throw error }
                damaged.append(blob)
                if read >= bytes { return (damaged, BlobPlaceOnDisk(blob: blob, chunk: 0)) }
            }
            self.whole.file(blob)?.letGo()
        }
        return (damaged, nil)
    }

    // MARK: Own files

    /// Copies a file into the folder, encrypted where there is a key: gives its name and its size.
    ///
    /// It is read to its end, whatever size it says it has. What is there of the same content gives way: the
    /// copy is known to be right. Throws where there is no room for it, where it is larger than a file may
    /// be, cannot be read, or changes meanwhile; then nothing is there that was not before. Gives other work
    /// of this actor turns.
    package func take(
        _ source: RandomAccessFile, key: Bytes32?
    ) async throws(BlobFailure) -> (blob: BlobID, size: UInt64, isNew: Bool) {
        self.imports += 1
        let path = "\(self.folder)/\(self.imports)\(Self.importSuffix)"
        let stated = source.size
        guard stated <= BlobLayout.sizeLimit else { throw .tooLarge }
        try self.reserve(stated)
        var taking = BlobImport(source, to: path, key, reserved: stated)
        do throws(BlobFailure) {
            while try taking.copyChunk({ (more) throws(BlobFailure) in try self.reserve(more) }) {
                // Parts of other files are waited for on a link.
                await Task.yield()
            }
            while try taking.compareChunk() { await Task.yield() }
            let tree = taking.tree
            let isNew = try BlobFailure.of { () throws(SystemError) in
                try self.keep(taking.target, at: path, tree)
            }
            self.usedBytes -= taking.reserved - tree.layout.size
            self.usedBytes -= self.counted.updateValue(tree.layout.size, forKey: tree.id) ?? 0
            return (tree.id, tree.layout.size, isNew)
        } catch {
            try? Files.remove(path)
            self.usedBytes -= taking.reserved
            throw error
        }
    }

    /// Keeps content as a file of its own; throws as ``take(_:key:)``.
    package func take(_ content: [UInt8]) async throws(BlobFailure) {
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

    /// Gives a copy its name, in the place of what was there; false where that was the whole file.
    private func keep(
        _ file: RandomAccessFile, at path: String, _ tree: BlobTree
    ) throws(SystemError) -> Bool {
        let name = self.path(tree.id)
        let nodes = try RandomAccessFile(writing: name + Self.treeSuffix)
        for node in tree.layout.nodes {
            try nodes.write(tree.bytes(of: node) ?? [], at: tree.layout.treeOffset(of: node))
        }
        if !tree.layout.nodes.isEmpty { try nodes.sync() }
        try file.sync()
        let isNew = !Files.exists(name)
        try Files.move(path, to: name)
        self.parts[tree.id] = nil
        self.whole.forget(tree.id)
        try Files.remove(name + Self.partSuffix)
        try Files.syncDirectory(self.folder)
        return isNew
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

/// How a file is on the disk.
package enum BlobPresence: Hashable, Sendable {
    /// Under its name.
    case whole
    /// Some of it, or only a note that it is to be fetched.
    case partial
    /// Not at all, though it should be.
    case lost
}

/// How far files were read through.
package struct BlobPlaceOnDisk: Hashable, Sendable {
    var blob: BlobID
    var chunk: Int
}

/// Why the bytes of a file cannot be stored or read.
package enum BlobFailure: Error, Hashable, Sendable {
    case diskFull
    /// Files may take no more of the disk.
    case quota
    /// It is larger than 16 GiB.
    case tooLarge
    /// It was changed while it was read.
    case sourceChanged
    /// The copy here is not what was stored.
    case damaged
    /// The system said no.
    case system(SystemError)

    init(_ error: SystemError) {
        self = error.meansDiskFull ? .diskFull : .system(error)
    }

    /// Does something that the system may refuse.
    package static func of<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(BlobFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw BlobFailure(error) }
    }
}
