import Glibc
import Posix
import Testing

@Suite struct FileDescriptorTests {
    @Test("a descriptor is closed at the end of its owner's life, and only then")
    func closesOnce() throws {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        let reader = FileDescriptor(owning: ends[0])
        do {
            let writer = FileDescriptor(owning: ends[1])
            #expect(writer.write([5, 6]) == .bytes(2))
        }
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(reader.read(into: &buffer) == .bytes(2))
        #expect(buffer[..<2] == [5, 6])
        #expect(reader.read(into: &buffer) == .end)
    }

    @Test("a released descriptor stays open for its next owner")
    func release() throws {
        let number = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC)).release()
        #expect(fcntl(number, F_GETFD) >= 0)
        FileDescriptor(owning: number).close()
    }

    @Test("an empty pipe would block")
    func wouldBlock() throws {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let reader = FileDescriptor(owning: ends[0])
        let writer = FileDescriptor(owning: ends[1])
        var buffer: [UInt8] = [0]
        #expect(reader.read(into: &buffer) == .wouldBlock)
        let chunk = [UInt8](repeating: 1, count: 65_536)
        while case .bytes = writer.write(chunk.span.bytes) {}
        #expect(writer.write(chunk.span.bytes) == .wouldBlock)
    }

    @Test("reading a descriptor that somebody closed traps")
    func closedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            let descriptor = FileDescriptor(owning: open("/dev/null", O_RDONLY))
            Glibc.close(descriptor.number)
            var buffer: [UInt8] = [0]
            _ = descriptor.read(into: &buffer)
            _ = descriptor.release()
        }
    }

    @Test("closing a descriptor that somebody closed traps")
    func closedTwice() async {
        await #expect(processExitsWith: .failure) {
            let descriptor = FileDescriptor(owning: open("/dev/null", O_RDONLY))
            Glibc.close(descriptor.number)
            descriptor.close()
        }
    }

    @Test("an error names the call, the object, the reason and what to do")
    func description() {
        let error = SystemError(EADDRINUSE, "bind", "127.0.0.1:1")
        #expect(
            error.description
                == "bind 127.0.0.1:1: Address already in use (EADDRINUSE); another program uses "
                + "this address; choose another port or end that program")
        #expect(SystemError(ENOENT, "open", "/x").description.hasSuffix("(ENOENT)"))
        #expect(SystemError(ECONNREFUSED, "connect").meansNobodyListens)
    }
}
