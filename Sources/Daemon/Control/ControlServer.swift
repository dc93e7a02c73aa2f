internal import ControlAPI
internal import Loop
internal import Posix

/// Accepts clients on the control socket.
///
/// Lives on the loop. Until ``begin(_:)`` connections and requests wait in the kernel, so a client
/// that comes while the daemon starts is served once it can be.
final class ControlServer {
    /// Who does what clients ask for.
    struct Owner {
        /// Runs what the loop calls as one turn.
        let turn: (() -> Void) -> Void
        /// Told each request, with the place for its answer.
        let handler: (RPCRequest, Reply) -> Void
        /// Told which client has output to flush at the end of the turn.
        let dirtied: (ControlConnection) -> Void
        /// Told which client is gone.
        let left: (ControlConnection) -> Void
        /// Told why somebody was turned away.
        let failed: (String) -> Void
    }

    /// Connections taken per wake-up.
    static let acceptsPerWakeUp = 16
    /// The pause after descriptors have run out.
    static let pauseMilliseconds: UInt64 = 1_000

    /// Nil once nobody is taken any more: who connects is refused then, and waits for nothing.
    private var listener: UnixListener?
    /// The listener of a server that has finished, where clients are to wait for the next one.
    private var kept: UnixListener?
    var keptNumber: Int32? { self.kept?.descriptor.number }
    private let bounds: ControlBounds
    private let loop: EventLoop
    /// Room for one read, for peers' streams as well.
    let buffer = ReadBuffer()
    private let ownUserID: UInt32
    /// Whose members may use the socket, too.
    private let group: UInt32?
    private var watch: IOWatch?
    private var resume: LoopTimer?
    /// What is left to say so with once descriptors have run out.
    private var reserve = DescriptorReserve()
    /// Whether the log says already that nobody can be taken.
    private var isShort = false
    private var nextNumber: UInt64 = 1
    private(set) var clients: [UInt64: ControlConnection] = [:]

    /// Takes over a listening socket.
    ///
    /// - Parameters:
    ///   - group: whose members may call some methods, too.
    init(_ listener: UnixListener, group: UInt32?, bounds: ControlBounds, loop: EventLoop) {
        self.listener = listener
        self.bounds = bounds
        self.loop = loop
        self.ownUserID = ProcessEnvironment.userID
        self.group = group
    }

    /// Begins to take clients.
    func begin(_ owner: Owner) throws(SystemError) {
        self.resume = try self.loop.makeTimer { [weak self] in self?.watch?.set(.readable) }
        guard let number = self.listener?.descriptor.number else { return }
        self.watch = try self.loop.watch(number, for: .readable) {
            [weak self] _ in self?.accept(for: owner)
        }
    }

    /// Takes no more clients and lets those that are there read what waits for them.
    ///
    /// - Parameter isKept: whether others that come are to wait for the next server.
    func finish(isKept: Bool = false) {
        if isKept { self.kept = self.listener }
        self.watch?.cancel()
        self.watch = nil
        self.resume?.cancel()
        self.resume = nil
        self.listener = nil
        for number in self.clients.keys.sorted() { self.clients[number]?.finish() }
    }

    /// Closes all that is left.
    func close() {
        for number in self.clients.keys.sorted() { self.clients[number]?.close() }
    }

    private func accept(for owner: Owner) {
        for _ in 0..<Self.acceptsPerWakeUp {
            do throws(SystemError) {
                guard let descriptor = try self.listener?.accept() else { return }
                try self.take(descriptor, for: owner)
                self.isShort = false
                self.reserve.renew()
            } catch {
                if !self.isShort {
                    owner.failed("the control socket cannot take clients: \(error)")
                }
                self.isShort = true
                // Whoever was told is gone, so that the next one has its turn.
                if error.meansNoDescriptors, self.refuse(error) { continue }
                self.watch?.set([])
                self.resume?.set(afterMilliseconds: Self.pauseMilliseconds)
                return
            }
        }
    }

    /// Tells the next client why it is not taken; false where that is not possible either.
    private func refuse(_ failure: SystemError) -> Bool {
        let line = RPCResponse(error: .tooManyFiles(failure.cause)).line
        return self.reserve.lend {
            guard let descriptor = try? self.listener?.accept() else { return false }
            // What it has asked is read, since closing over it would take the answer back.
            _ = descriptor.read(into: &self.buffer.bytes)
            _ = descriptor.write(line.span.bytes)
            return true
        }
    }

    private func take(
        _ descriptor: consuming FileDescriptor, for owner: Owner
    ) throws(SystemError) {
        let peer = try PeerCredentials(of: descriptor)
        let user = peer.userID
        let isOwner = user == self.ownUserID || user == 0
        var isGuest = false
        if !isOwner, let group { isGuest = peer.isMember(of: group, on: descriptor) }
        let number = self.nextNumber
        self.nextNumber += 1
        let client = try ControlConnection(
            descriptor, number: number, access: isOwner ? .owner : .group, bounds: self.bounds,
            loop: self.loop, buffer: self.buffer, turn: owner.turn, handler: owner.handler,
            dirtied: owner.dirtied,
            closed: { [weak self] client in
                self?.clients[client.number] = nil
                owner.left(client)
            })
        // Who is turned away counts as a client until the reason is read, or two seconds.
        let isFull = self.clients.count >= self.bounds.clients
        if isFull, self.clients.count >= 2 * self.bounds.clients {
            client.close()
            return
        }
        self.clients[number] = client
        if !isOwner, !isGuest {
            owner.failed("user \(user) was refused at the control socket")
            client.close(
                saying: RPCError(
                    .refused, "this daemon belongs to another user", reason: "otherUser",
                    remedy: self.group == nil
                        ? "start your own stoad" : "ask to be added to its group"))
        } else if isFull {
            owner.failed("a client was refused: \(self.clients.count - 1) are connected")
            client.close(saying: .busy("\(self.bounds.clients) clients are connected already"))
        }
    }
}
