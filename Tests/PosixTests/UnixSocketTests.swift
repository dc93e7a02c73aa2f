import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite struct UnixSocketTests {
    @Test(
        "a client talks to itself, root, and to whom the folder of the socket belongs to alone",
        arguments: [
            (1_000, 1_000, 0o777, true), (0, 1_000, 0o777, true), (1_001, 1_001, 0o755, true),
            (1_001, 0, 0o755, true), (1_001, 1_001, 0o777, false), (1_001, 0, 0o1777, false),
            (1_001, 1_002, 0o755, false),
        ] as [(UInt32, UInt32, UInt32, Bool)])
    func servers(server: UInt32, owner: UInt32, mode: UInt32, isTrusted: Bool) {
        #expect(
            UnixConnection.mayServe(server, own: 1_000, folderOwner: owner, folderMode: mode)
                == isTrusted)
    }

    @Test("a client talks to the listener, which knows who it is")
    func talk() throws {
        let directory = try TestFolder()
        let listener = try UnixListener(path: directory("run/control.sock"))
        #expect(try isNothing(listener.accept()))
        let client = try UnixConnection(path: directory("run/control.sock"))
        guard let server = try listener.accept() else {
            Issue.record("nothing to accept")
            return
        }
        let credentials = try PeerCredentials(of: server)
        #expect(credentials.userID == geteuid())
        #expect(credentials.processID == getpid())

        try client.writeAll([1, 2, 3])
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(server.read(into: &buffer) == .bytes(3))
        #expect(try client.readSome(into: &buffer, timeoutMilliseconds: 0) == nil)
        #expect(server.send([4]) == .bytes(1))
        #expect(try client.readSome(into: &buffer, timeoutMilliseconds: 60_000) == 1)
        #expect(buffer[0] == 4)
        server.close()
        #expect(try client.readSome(into: &buffer) == 0)
        let error = #expect(throws: SystemError.self) { try client.writeAll([5]) }
        #expect(error?.code == EPIPE)
    }

    @Test("the socket is for its owner alone, and so is the directory made for it")
    func modes() throws {
        let directory = try TestFolder()
        let listener = try UnixListener(path: directory("a/b/control.sock"))
        #expect(try mode(of: directory("a/b/control.sock")) == 0o600)
        #expect(try mode(of: directory("a/b")) == 0o700)
        #expect(listener.path == directory("a/b/control.sock"))
    }

    @Test("the socket goes with its listener, unless another one has taken its place")
    func removal() throws {
        let directory = try TestFolder()
        let path = directory("control.sock")
        do {
            let listener = try UnixListener(path: path)
            #expect(Files.exists(path))
            withExtendedLifetime(listener) {}
        }
        #expect(!Files.exists(path))
        do {
            let first = try UnixListener(path: path)
            try Files.remove(path)
            let second = try UnixListener(path: path)
            withExtendedLifetime(first) {}
            #expect(Files.exists(path))
            _ = try UnixConnection(path: path)
            withExtendedLifetime(second) {}
        }
    }

    @Test("a socket that somebody listens on is not taken over")
    func inUse() throws {
        let directory = try TestFolder()
        let first = try UnixListener(path: directory("control.sock"))
        let error = #expect(throws: SystemError.self) {
            _ = try UnixListener(path: directory("control.sock"))
        }
        #expect(error?.code == EADDRINUSE)
        _ = try UnixConnection(path: directory("control.sock"))
        #expect(try !isNothing(first.accept()))
    }

    @Test("a socket that was left behind is replaced")
    func stale() throws {
        let directory = try TestFolder()
        let path = directory("control.sock")
        // Bound by a process that is gone: a socket file on which nobody listens.
        let moved = directory("moved.sock")
        do {
            let listener = try UnixListener(path: path)
            try #require(rename(path, moved) == 0)
            withExtendedLifetime(listener) {}
        }
        try #require(rename(moved, path) == 0)
        let refusal = #expect(throws: SystemError.self) { _ = try UnixConnection(path: path) }
        #expect(refusal?.code == ECONNREFUSED)
        let listener = try UnixListener(path: path)
        _ = try UnixConnection(path: path)
        withExtendedLifetime(listener) {}
    }

    @Test("a file that is no socket is left alone")
    func notASocket() throws {
        let directory = try TestFolder()
        try Files.writeAtomically([1], to: directory("control.sock"))
        let error = #expect(throws: SystemError.self) {
            _ = try UnixListener(path: directory("control.sock"))
        }
        #expect(error?.code == EEXIST)
        #expect(try Files.read(directory("control.sock"), limitBytes: 1) == [1])
    }

    @Test("a path of 107 bytes is fine and one of 108 is refused with the reason")
    func pathLength() throws {
        let directory = try TestFolder()
        let room = 107 - directory("").utf8.count
        let listener = try UnixListener(path: directory(String(repeating: "x", count: room)))
        let longest = try #require(listener.path)
        #expect(longest.utf8.count == 107)
        _ = try UnixConnection(path: longest)
        for attempt in [
            { _ = try UnixListener(path: "\(longest)x") },
            { _ = try UnixConnection(path: "\(longest)x") },
        ] as [() throws -> Void] {
            let error = #expect(throws: SystemError.self) { try attempt() }
            #expect(error?.code == ENAMETOOLONG)
            #expect(error?.description.contains("108") == true)
        }
    }

    @Test("without a daemon the error is recognisable and says what to do")
    func noDaemon() throws {
        let directory = try TestFolder()
        let error = #expect(throws: SystemError.self) {
            _ = try UnixConnection(path: directory("control.sock"))
        }
        #expect(error?.meansNobodyListens == true)
        #expect(error?.description.contains("start stoad") == true)
    }

    @Test("a directory that others can enter is refused")
    func openDirectory() throws {
        let directory = try TestFolder()
        try #require(mkdir(directory("open"), 0o755) == 0)
        let error = #expect(throws: SystemError.self) {
            _ = try UnixListener(path: directory("open/control.sock"))
        }
        #expect(error?.code == EACCES)
        #expect(error?.description.contains("chmod 700") == true)
    }

    @Test("a listener that was handed over keeps its file")
    func adopted() throws {
        let directory = try TestFolder()
        let path = directory("control.sock")
        let original = try UnixListener(path: path)
        do {
            let adopted = try UnixListener(
                adopting: FileDescriptor(owning: dup(original.descriptor.number)))
            #expect(adopted.path == nil)
            _ = try UnixConnection(path: path)
            #expect(try !isNothing(adopted.accept()))
        }
        #expect(Files.exists(path))
    }

    @Test("waiting names the descriptors that are ready, and no others")
    func waiting() throws {
        let directory = try TestFolder()
        let listener = try UnixListener(path: directory("control.sock"))
        let clients = try (0..<2).map { _ in try UnixConnection(path: directory("control.sock")) }
        let numbers = clients.map { $0.descriptor.number }
        #expect(try waitUntilReadable(numbers, timeoutMilliseconds: 0).isEmpty)
        #expect(try waitUntilReadable(numbers, timeoutMilliseconds: 1).isEmpty)
        guard let server = try listener.accept() else {
            Issue.record("nothing to accept")
            return
        }
        #expect(server.send([1]) == .bytes(1))
        #expect(try waitUntilReadable(numbers) == [numbers[0]])
    }
}
