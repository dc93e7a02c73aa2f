import CMicroHTTP
import ControlAPI
import DaemonCalls
import Glibc
import Loop
import Posix
import Web

/// The library that speaks HTTP, run by the loop: it reads heads and bodies, and writes answers.
final class HTTPServer {
    private unowned let shell: WebShell
    private let listener: TCPListener
    private var daemon: OpaquePointer?
    private var watch: IOWatch?
    /// What browsers call this program.
    let host: String
    /// Until when each connection is to have sent a request.
    private var dues: [Int32: UInt64] = [:]
    private var isRunning = false

    init(shell: WebShell) throws(SystemError) {
        self.shell = shell
        guard let address = SocketAddress("127.0.0.1:0") else {
            throw SystemError(EINVAL, "listen")
        }
        self.listener = try TCPListener(on: address)
        self.host = self.listener.localAddress.description
        let itself = Unmanaged.passUnretained(self).toOpaque()
        self.daemon = cmicrohttp_start(
            self.listener.descriptor.number, WebLimits.connections, WebLimits.connectionBytes,
            { server, address, _ in HTTPServer.from(server).accepts(address) },
            { server, connection, path, method, _, bytes, count, request in
                HTTPServer.from(server).handle(connection, path, method, bytes, count, request)
            },
            { server, connection, request, _ in
                HTTPServer.from(server).completed(connection, request)
            },
            { server, connection, _, code in
                HTTPServer.from(server).notify(
                    connection, isStart: code == .CONNECTION_NOTIFY_STARTED)
            }, itself)
        guard let daemon = self.daemon else {
            throw SystemError(ENOMEM, "serve HTTP on", self.host)
        }
        self.watch = try shell.loop.watch(cmicrohttp_descriptor(daemon), for: .readable) {
            [unowned self] _ in self.run()
        }
    }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> HTTPServer {
        guard let pointer else { preconditionFailure("the library calls with what it was given") }
        // The shell keeps the server for as long as the library runs.
        return Unmanaged<HTTPServer>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Has the library do what it can; what it calls may ask for that again.
    private func run() {
        guard let daemon = self.daemon, !self.isRunning else { return }
        self.isRunning = true
        repeat { MHD_run(daemon) } while cmicrohttp_is_due(daemon) != 0
        self.isRunning = false
    }

    /// Goes on with a request that waited.
    func resume(_ connection: OpaquePointer) {
        MHD_resume_connection(connection)
        self.shell.loop.runLater { [weak self] in self?.run() }
    }

    // MARK: Connections

    /// Only processes of the same user are served; where the kernel does not say, keys decide alone.
    private func accepts(_ address: UnsafePointer<sockaddr>?) -> MHD_Result {
        guard let address, address.pointee.sa_family == sa_family_t(AF_INET) else { return .NO }
        let port = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt16(bigEndian: $0.pointee.sin_port)
        }
        do throws(SystemError) {
            let user = try LoopbackPeer.userID(
                port: port, server: self.listener.localAddress.port)
            return user == ProcessEnvironment.userID ? .YES : .NO
        } catch {
            return .YES
        }
    }

    private func notify(_ connection: OpaquePointer?, isStart: Bool) {
        guard let connection else { return }
        self.dues[cmicrohttp_socket(connection)] =
            isStart ? WebShell.now + WebLimits.headerMilliseconds : nil
        // At its limit the library does not look at who waits, and nobody tells it that there is room again.
        if !isStart { self.shell.loop.runLater { [weak self] in self?.run() } }
        self.shell.schedule()
    }

    var nextDue: UInt64? { self.dues.values.min() }

    /// Ends connections whose request does not come: the library then finds them closed.
    func expire(at now: UInt64) {
        for (number, due) in self.dues where due <= now {
            shutdown(number, Int32(SHUT_RDWR))
            self.dues[number] = nil
        }
    }

    /// Makes a page of a connection that speaks WebSocket from here on.
    func adopt(_ socket: Int32, _ early: [UInt8], release: @escaping () -> Void) {
        self.dues[socket] = nil
        // The library is on the stack, and closes only what it has left.
        let close = { [weak self] in
            release()
            self?.shell.loop.runLater { [weak self] in self?.run() }
            return
        }
        guard
            let page = try? PageSocket(
                descriptor: socket, loop: self.shell.loop, pool: self.shell.pages, release: close)
        else { return release() }
        self.shell.pages.add(page)
        if !early.isEmpty { self.shell.loop.runLater { page.receive(early[...]) } }
    }

    // MARK: Requests

    /// Called with the head, then with each part of the body, then once more for the answer.
    private func handle(
        _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
        _ method: UnsafePointer<CChar>?, _ bytes: UnsafePointer<CChar>?,
        _ count: UnsafeMutablePointer<Int>?,
        _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let connection, let path, let method, let count, let request else { return .NO }
        guard let pointer = request.pointee else {
            let exchange = self.begin(
                connection, path: String(cString: path), method: String(cString: method))
            request.pointee = Unmanaged.passRetained(exchange).toOpaque()
            // A body that nobody wants is not waited for.
            if String(cString: method) != "GET", exchange.answer != nil {
                return self.queue(exchange, connection)
            }
            return .YES
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        if count.pointee > 0 {
            let part = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
            count.pointee = 0
            return self.take(part, exchange)
        }
        if exchange.answer == nil, !exchange.isAsked {
            exchange.isAsked = true
            self.answer(exchange, connection)
        }
        guard exchange.answer != nil else {
            MHD_suspend_connection(connection)
            return .YES
        }
        return self.queue(exchange, connection)
    }

    private func begin(_ connection: OpaquePointer, path: String, method: String) -> Exchange {
        self.dues[cmicrohttp_socket(connection)] = nil
        var headers: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &headers) { pointer in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { pointer, _, name, value in
                    guard let pointer, let name else { return .YES }
                    pointer.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                        .append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                    return .YES
                }, pointer)
        }
        let head = WebHead(method: method, path: path, headers: headers)
        let exchange = Exchange(WebRoute(head, host: self.host, gate: self.shell.gate))
        switch exchange.route {
        case .refused(let refusal): exchange.refuse(refusal)
        case .asset(let asset): exchange.answer = .asset(asset)
        case .socket(let accept): exchange.answer = .upgrade(accept: accept)
        case .upload:
            exchange.upload = self.shell.pages.beginUpload()
            if exchange.upload == nil { exchange.refuse(.busy) }
        case .enter, .file, .picture, .backup: break
        }
        return exchange
    }

    private func take(_ part: UnsafeRawBufferPointer, _ exchange: Exchange) -> MHD_Result {
        if let upload = exchange.upload {
            return upload.file.write(part) ? .YES : .NO
        }
        guard exchange.body.count + part.count <= WebLimits.tokenBytes else { return .NO }
        exchange.body.append(contentsOf: part)
        return .YES
    }

    private func answer(_ exchange: Exchange, _ connection: OpaquePointer) {
        switch exchange.route {
        case .enter:
            let token = String(decoding: exchange.body, as: UTF8.self)
            if let key = self.shell.enter(token) {
                exchange.answer = .json(["key": .string(key)])
            } else {
                exchange.refuse(.usedToken)
            }
        case .upload:
            guard let upload = exchange.upload else { return exchange.refuse(.busy) }
            self.shell.pages.completeUpload(upload.number)
            exchange.answer = .json(["upload": .integer(upload.number)])
        case .file(let id, let isPicture):
            self.deliver(exchange, connection, limit: isPicture ? WebLimits.inlineBytes : nil) {
                [caller = self.shell.pages.caller] input, then in
                caller.ask(
                    FetchMethod.self, FetchMethod.Params { ($0.id, $0.output) = (id, true) },
                    passing: input
                ) { outcome in
                    then(outcome) { Received<FetchMethod.Result>($0).size }
                }
            }
        case .picture(let person):
            self.deliver(exchange, connection, limit: WebLimits.pictureBytes) {
                [caller = self.shell.pages.caller] input, then in
                caller.ask(
                    PictureMethod.self,
                    PictureMethod.Params { ($0.person, $0.output) = ("@" + person, true) },
                    passing: input
                ) { outcome in
                    then(outcome) { Received<PictureMethod.Result>($0).size }
                }
            }
        case .backup(let number):
            guard let file = self.shell.pages.backup(number) else {
                return exchange.refuse(.notFound)
            }
            exchange.answer = .file(descriptor: file.forReading(), size: file.size)
        case .asset, .socket, .refused: exchange.refuse(.notFound)
        }
    }

    /// What is called with the daemon's answer and with how the size is read from it.
    private typealias Told = (RPCResponse.Outcome, (JSON) -> Int64) -> Void

    /// Has the daemon write content into a pipe, and answers once it is known what it is.
    ///
    /// - Parameter limit: where it is to be a picture, how large it may be; nil for a file of any kind.
    private func deliver(
        _ exchange: Exchange, _ connection: OpaquePointer, limit: Int64?,
        ask: (Int32, @escaping Told) -> Void
    ) {
        var input: Int32 = -1
        guard let delivery = PipedContent(loop: self.shell.loop, input: &input) else {
            return exchange.refuse(.busy)
        }
        let finish = { [unowned self] (answer: Exchange.Answer) in
            exchange.answer = answer
            self.resume(connection)
        }
        // The daemon has its own by then.
        let writing = FileDescriptor(owning: input)
        ask(writing.number) { outcome, size in
            switch outcome {
            case .failure(let error):
                exchange.refuse(error, isPicture: limit != nil)
                self.resume(connection)
            case .result(let json):
                let size = size(json)
                guard let limit else { return finish(.content(delivery, size: size, nil)) }
                guard size <= limit else { return finish(.text(413, WebRefusal.tooLarge.text)) }
                delivery.readBeginning { kind in
                    guard let kind else { return finish(.text(415, "this is not a picture\n")) }
                    finish(.content(delivery, size: size, kind))
                }
            }
        }
    }

    private func completed(
        _ connection: OpaquePointer?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) {
        guard let connection, let pointer = request?.pointee else { return }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
        request?.pointee = nil
        if case .content(let delivery, _, _) = exchange.answer { delivery.close() }
        if let upload = exchange.upload, !upload.file.isComplete {
            self.shell.pages.removeUpload(upload.number)
        }
        // The next request of this connection has its time, too.
        self.dues[cmicrohttp_socket(connection)] = WebShell.now + WebLimits.headerMilliseconds
        self.shell.schedule()
    }
}
