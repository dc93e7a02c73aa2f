internal import Blobs
internal import ControlAPI
internal import Crypto
internal import Discovery
internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

/// Opens what a node needs: files, sockets, the store.
struct Opening: Sendable {
    let configuration: Configuration
    let birth: Birth
    let log: Journal
    let loop: EventLoop

    /// The store of a start, open, and what it says.
    struct Found: Sendable {
        let store: MessageStore
        let executor: ThreadExecutor
        let snapshot: Snapshot
        let newest: Cursor
        /// Whether a start before this one has left its write-ahead log, in which what was erased may be.
        let hasOldLog: Bool
    }

    func realms() throws(StartError) -> StoredRealms {
        try RealmFiles(dataDirectory: self.configuration.dataDirectory).load()
    }

    // MARK: Sockets

    /// Binds the control socket, where clients wait from here on.
    func control() throws(StartError) -> ControlServer {
        let listener: UnixListener
        let group = try self.configuration.socketGroupNumber()
        do throws(SystemError) {
            if let socket = self.birth.activated.first(where: { $0.kind == .unixListener }) {
                listener = try UnixListener(adopting: socket.duplicate())
            } else {
                listener = try UnixListener(path: self.configuration.socket, group: group)
            }
        } catch { throw StartError(error, exitCode: .unavailable) }
        return ControlServer(listener, group: group, bounds: self.birth.bounds, loop: self.loop)
    }

    /// Binds where peers can connect; they wait from here on.
    ///
    /// Where nothing can be stored, nothing is to come.
    func peers() throws(StartError) -> Listening {
        guard !self.birth.isOnlyReading else { return Listening([]) }
        do throws(SystemError) { return try self.listening() } catch {
            throw StartError(error, exitCode: .unavailable)
        }
    }

    private func listening() throws(SystemError) -> Listening {
        // A misspelt interface would otherwise be noticed only by nobody being found.
        if let interface = self.configuration.interface {
            _ = try NetworkInterface.named(interface)
        }
        var listeners: [TCPListener] = []
        for socket in self.birth.activated where socket.kind == .tcpListener {
            listeners.append(try TCPListener(adopting: socket.duplicate()))
        }
        if !listeners.isEmpty { return Listening(listeners) }
        if self.configuration.listen.isEmpty {
            return Listening(try TCPListener.open(interface: self.configuration.interface))
        }
        var taken: [SocketAddress] = []
        for address in self.configuration.listen {
            let listener = try TCPListener.open(on: address, nextPorts: Self.nextPorts)
            if address.port > 0, listener.localAddress.port != address.port {
                taken.append(address)
                self.log(
                    .warning,
                    "another program uses \(address); listening on port "
                        + "\(listener.localAddress.port) instead")
            }
            listeners.append(listener)
        }
        return Listening(listeners, taken: taken)
    }

    /// The ports behind one that is taken, as by another user's daemon, that are tried in its place.
    private static let nextPorts = 16

    /// Makes the backend; call it before other threads are started, since it sets a variable.
    func discovery() -> RunningDiscovery {
        let (running, log) = (RunningDiscovery(), self.log)
        let mode = self.birth.isOnlyReading ? .off : self.configuration.discovery
        running.set(
            mode.makeDiscovery(loop: self.loop) { [weak running] event in
                running?.report(event)
            })
        DiscoveryLog.setHandler { level, text in
            switch level {
            case .error, .warning: log(.debug, "avahi: \(text)")
            case .notice, .info, .debug: break
            }
        }
        return running
    }

    // MARK: Files

    func store() async throws(StartError) -> Found {
        let owner = PeerID(self.birth.identity.signer.publicKey)
        let directory = self.configuration.dataDirectory
        guard !self.birth.isOnlyReading else { return try await self.storeToRead(of: owner) }
        do {
            let continuity = try self.continuityPath(owner: owner)
            let hasOldLog = Files.exists(directory + "/stoa.db-wal")
            let executor = try ThreadExecutor(name: "stoad-store")
            let store = try await MessageStore.open(
                directory: directory, continuity: continuity, owner: owner, executor: executor,
                identify: Self.identify)
            if let leftOut = await store.leftOut {
                self.log(
                    .warning,
                    "\(leftOut). It was left out; if there was no power cut, check the disk. Peers "
                        + "send again what was lost.")
            }
            try await store.limit(bytes: self.configuration.diskLimit)
            var snapshot = try await store.snapshot()
            let person = self.birth.identity.person
            let notes = try? DirectConversation(of: person, with: person.publicKeys, at: owner)
            if let notes, snapshot.conversations[notes.id] != nil {
                snapshot.own = try await store.ownEntries(in: notes.id)
            }
            return Found(
                store: store, executor: executor, snapshot: snapshot,
                newest: try await store.newestCursor(), hasOldLog: hasOldLog)
        } catch let failure as StoreFailure {
            throw StartError(failure)
        } catch let error as SystemError {
            throw StartError(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw StartError("\(error)", remedy: "", exitCode: .software)
        }
    }

    /// The store of a data directory where nothing can be written, and nobody to link with.
    private func storeToRead(of owner: PeerID) async throws(StartError) -> Found {
        do {
            let executor = try ThreadExecutor(name: "stoad-store")
            let store = try await MessageStore.openToRead(
                directory: self.configuration.dataDirectory, owner: owner, executor: executor)
            var snapshot = try await store.snapshot()
            snapshot.peers = []
            return Found(
                store: store, executor: executor, snapshot: snapshot,
                newest: try await store.newestCursor(), hasOldLog: false)
        } catch let failure as StoreFailure {
            throw StartError(failure)
        } catch let error as SystemError {
            throw StartError(error)
        } catch {
            throw StartError("\(error)", remedy: "", exitCode: .software)
        }
    }

    /// The store's proof of continuity, in a directory of its own, for this identity.
    private func continuityPath(owner: PeerID) throws(StartError) -> String {
        let directory = self.configuration.stateDirectory
        try StartError.makePrivateDirectory(directory)
        return "\(directory)/\(owner).continuity"
    }

    /// What tells the database from a copy that was put back.
    @Sendable private static func identify(_ path: String) -> StoreFileIdentity? {
        guard let found = try? FileIdentity(path: path) else { return nil }
        return StoreFileIdentity(
            inode: found.inode, birthNanoseconds: found.birthNanoseconds)
    }

    func files() throws(StartError) -> BlobStore {
        let limit = self.configuration.fileLimitBytes ?? self.configuration.tenthOfDisk
        do throws(SystemError) {
            return try BlobStore(
                folder: self.configuration.filesDirectory, quota: limit,
                executor: ThreadExecutor(name: "stoad-files"))
        } catch { throw StartError(error, exitCode: .cannotCreate) }
    }

    func worker() throws(StartError) -> Worker {
        do throws(SystemError) {
            return try Worker(name: "stoad-worker", loop: self.loop)
        } catch { throw StartError(error) }
    }
}

extension Configuration {
    private static let usualLimitLeast: UInt64 = 256 << 20
    private static let tenthMost: UInt64 = 10 << 30

    /// Most bytes of the disk that messages may use: a tenth of it where the settings do not say, at least
    /// 256 MiB and at most 10 GiB.
    var diskLimit: UInt64 { self.diskLimitBytes ?? max(Self.usualLimitLeast, self.tenthOfDisk) }

    /// A tenth of the disk in bytes, at most 10 GiB.
    var tenthOfDisk: UInt64 {
        let disk = UInt64(clamping: Files.totalBytes(self.dataDirectory) ?? 0)
        return min(Self.tenthMost, disk / 10)
    }
}
