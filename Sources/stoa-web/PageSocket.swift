import ControlAPI
import ControlClient
import Glibc
import Loop
import Posix
import Web

/// The connection of one page, and its connection to the daemon.
final class PageSocket {
    /// What the library has handed over; it is given back at the end.
    private let descriptor: Int32
    private let release: () -> Void
    private let loop: EventLoop
    private let pool: PagePool
    private var watch: IOWatch?
    private var reader = WebSocketReader()
    /// What the page has not taken yet.
    private var waiting: [UInt8] = []
    private var client: LineClient?
    private var clientWatch: IOWatch?
    /// Until when it may show its key; nil once it has.
    private(set) var keyDue: UInt64?
    private var isEnding = false

    init(
        descriptor: Int32, loop: EventLoop, pool: PagePool, release: @escaping () -> Void
    ) throws(SystemError) {
        (self.descriptor, self.loop, self.pool) = (descriptor, loop, pool)
        self.release = release
        self.keyDue = WebShell.now + WebLimits.keyMilliseconds
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.watch = try loop.watch(descriptor, for: .readable) { [unowned self] events in
            self.handle(events)
        }
    }

    var isOpen: Bool { self.keyDue == nil && !self.isEnding }
    var hasDaemon: Bool { self.client != nil }

    // MARK: The browser's side

    private func handle(_ events: IOEvents) {
        if events.contains(.writable) { self.flush() }
        guard events.contains(.readable) || events.contains(.hangup) else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(self.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return self.pool.remove(self) }
        self.receive(buffer[..<count])
    }

    /// Bytes of the browser: also those that came with the request.
    func receive(_ bytes: ArraySlice<UInt8>) {
        self.reader.append(bytes)
        do throws(WebSocketError) {
            while !self.isEnding, let message = try self.reader.next() {
                switch message {
                case .text(let text): self.take(text)
                case .ping(let content): self.put(WebSocketFrame.pong(content))
                case .close: self.finish(1_000)
                }
            }
        } catch {
            self.finish(error.code)
        }
    }

    private func take(_ text: [UInt8]) {
        guard self.keyDue == nil else {
            guard let key = PageKey(text), self.pool.admits(key.key) else {
                return self.finish(4_001)
            }
            guard self.pool.hasRoom else { return self.finish(4_008) }
            self.keyDue = nil
            self.connect()
            self.pool.opened(self)
            return
        }
        switch PageCall(text) {
        case .answer(let line): self.send(line)
        case .own(let id, let call):
            self.pool.perform(call) { [weak self] outcome in
                self?.send(RPCResponse(id: id, outcome: outcome).line)
            }
        case .daemon(let line):
            guard let client = self.client else {
                return self.send(DaemonLine.unavailable(line))
            }
            do throws(ClientError) { try client.write(line) } catch { self.loseDaemon() }
        }
    }

    /// Sends a line of JSON, with or without its newline.
    func send(_ line: [UInt8]) {
        self.put(WebSocketFrame.text(line.last == 0x0A ? line.dropLast() : line[...]))
    }

    private func put(_ bytes: [UInt8]) {
        guard !self.isEnding else { return }
        self.waiting.append(contentsOf: bytes)
        self.flush()
    }

    private func flush() {
        while !self.waiting.isEmpty {
            let count = Glibc.send(
                self.descriptor, self.waiting, self.waiting.count,
                Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            guard count > 0 else { break }
            self.waiting.removeFirst(count)
        }
        let isFull = self.waiting.count >= WebLimits.waitingBytes
        self.watch?.set(self.waiting.isEmpty ? .readable : [.readable, .writable])
        // The daemon keeps what a slow page does not take, and ends it where that is too long.
        self.clientWatch?.set(isFull ? [] : .readable)
    }

    /// Says why, and ends.
    func finish(_ code: UInt16) {
        guard !self.isEnding else { return }
        self.put(WebSocketFrame.close(code))
        self.isEnding = true
        self.loop.runLater { [pool, self] in pool.remove(self) }
    }

    /// Gives everything back; nothing is called afterwards.
    func close() {
        self.isEnding = true
        self.watch?.cancel()
        self.watch = nil
        self.clientWatch?.cancel()
        (self.clientWatch, self.client) = (nil, nil)
        self.release()
    }

    // MARK: The daemon's side

    /// Connects to the daemon, if this page is not connected.
    func connect() {
        guard self.client == nil, let client = try? LineClient(path: self.pool.socket),
            let watch = try? self.loop.watch(
                client.descriptor, for: .readable, handler: { [unowned self] _ in self.pass() })
        else { return }
        (self.client, self.clientWatch) = (client, watch)
    }

    private func pass() {
        guard let client = self.client else { return }
        do throws(ClientError) {
            for line in try client.receiveLines() { self.send(line) }
        } catch {
            self.loseDaemon()
        }
    }

    private func loseDaemon() {
        self.clientWatch?.cancel()
        (self.clientWatch, self.client) = (nil, nil)
        self.send(PageEvent.daemon(isUp: false))
        self.pool.lostDaemon()
    }
}
