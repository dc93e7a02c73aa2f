import Glibc
import Loop
import Posix
import TestSupport
import Testing

@Suite struct ReadinessTests {
    /// Binds a datagram socket as the service manager does, and returns it with its name.
    private static func makeManager() -> (number: Int32, name: String) {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let name = "stoa-test-\(getpid())-\(UInt32.random(in: .min ... .max))"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading zero puts the name into the abstract name space: unix(7).
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in name.utf8.enumerated() { path[index + 1] = byte }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        precondition(status == 0)
        return (number, name)
    }

    private static func receive(_ number: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(number, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("the service manager is told of readiness, state and the end, one line each")
    func notifications() async {
        await #expect(processExitsWith: .success) {
            let manager = ReadinessTests.makeManager()
            setenv("NOTIFY_SOCKET", "@\(manager.name)", 1)
            Readiness.ready(status: "3 peers")
            precondition(ReadinessTests.receive(manager.number) == "READY=1\nSTATUS=3 peers")
            Readiness.status("one\nSTOPPING=1")
            precondition(ReadinessTests.receive(manager.number) == "STATUS=one STOPPING=1")
            Readiness.stopping()
            precondition(ReadinessTests.receive(manager.number) == "STOPPING=1")
        }
    }

    @Test("without a service manager nothing happens")
    func withoutManager() throws {
        Readiness.ready()
        Readiness.stopping(status: "bye")
        let loop = try EventLoop()
        #expect(try loop.enableWatchdog() == false)
    }

    @Test("a manager with a watchdog is fed by the loop alone")
    func watchdog() async {
        await #expect(processExitsWith: .success) {
            let manager = ReadinessTests.makeManager()
            setenv("NOTIFY_SOCKET", "@\(manager.name)", 1)
            setenv("WATCHDOG_USEC", "40000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            try onLoop { loop in
                let count = Box(0)
                let watch = Box<IOWatch?>(nil)
                watch.value = try loop.watch(manager.number, for: .readable) { _ in
                    precondition(ReadinessTests.receive(manager.number) == "WATCHDOG=1")
                    count.value += 1
                    if count.value == 3 {
                        watch.value = nil
                        loop.stop()
                    }
                }
                let isOn = try loop.enableWatchdog()
                precondition(isOn)
            }
        }
    }

    @Test("sockets that the manager opened are taken with their names and kinds, once")
    func activation() async {
        await #expect(processExitsWith: .success) {
            // The numbers 3 and up are what the manager hands over, but other threads of this process
            // use them. In a child that was forked only the forking thread lives on.
            typealias Fork = @convention(c) () -> pid_t
            let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
            let child = fork()
            guard child == 0 else {
                var status: Int32 = -1
                waitpid(child, &status, 0)
                _exit(status == 0 ? 0 : 1)
            }
            let tcp = try TCPListener(on: SocketAddress(ip: .loopbackIPv4, port: 0))
            let path = "/tmp/stoa-test-\(getpid())/control.sock"
            let unix = try UnixListener(path: path)
            dup2(tcp.descriptor.number, 100)
            dup2(unix.descriptor.number, 101)
            dup2(100, 3)
            dup2(101, 4)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "links:control", 1)
            let sockets = try ActivatedSocket.takeAll()
            precondition(sockets.map(\.name) == ["links", "control"])
            precondition(sockets.map(\.kind) == [.tcpListener, .unixListener])
            let again = try ActivatedSocket.takeAll()
            precondition(again.isEmpty)
            // Another start in this process takes the same socket.
            _ = try UnixListener(adopting: sockets[1].duplicate())
            let adopted = try UnixListener(adopting: sockets[1].duplicate())
            let client = try UnixConnection(path: path)
            let accepted = try adopted.accept()
            precondition(accepted != nil)
            withExtendedLifetime((client, tcp)) {}
            try Files.remove(path)
            rmdir(Files.parent(of: path))
            // The descriptors of this process are in disorder now, so nothing is closed.
            _exit(0)
        }
    }

    @Test("an idle loop does not wake up")
    func idle() throws {
        let loop = try EventLoop()
        let thread = BlockingQueue<String>()
        let finished = BlockingQueue<Bool>()
        try OSThread.start(name: "idle loop") {
            loop.post {
                var path = [CChar](repeating: 0, count: 64)
                // PID/task/TID
                _ = readlink("/proc/thread-self", &path, path.count - 1)
                _ = thread.append(
                    String(decoding: path.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
            }
            do { try loop.run() } catch { Issue.record(error) }
            _ = finished.append(true)
        }
        let id = try #require(thread.takeAll().first)
        var kept: [LoopTimer] = []
        // Asleep in epoll_wait, the thread's count of switches stands still.
        while try self.state(of: id) != "S" { sched_yield() }
        let before = try self.switches(of: id)
        // Another loop measures the time for which nothing may happen.
        try onLoop { other in
            let timer = try other.makeTimer { other.stop() }
            timer.set(afterMilliseconds: 300, accuracy: .exact)
            kept.append(timer)
        }
        #expect(try self.switches(of: id) == before)
        loop.stop()
        _ = finished.takeAll()
    }

    private func status(of thread: String) throws -> [Substring] {
        let bytes = try Files.read("/proc/\(thread)/status", limitBytes: 16_384)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private func state(of thread: String) throws -> String {
        let line = try self.status(of: thread).first { $0.hasPrefix("State:") }
        return String(try #require(line).split(separator: "\t")[1].prefix(1))
    }

    private func switches(of thread: String) throws -> [Substring] {
        try self.status(of: thread).filter { $0.contains("ctxt_switches") }
    }
}
