import Glibc
import Loop
import Posix
import Testing

/// Runs a body on a fresh loop that the test's own thread turns, and fails when it takes too long.
///
/// The body arranges; some handler calls `stop()`.
func onLoop(
    deadlineMilliseconds: UInt64 = 60_000, _ arrange: (EventLoop) throws -> Void
) throws {
    let loop = try EventLoop()
    let guardTimer = try loop.makeTimer {
        Issue.record("the loop was not stopped in time")
        loop.stop()
    }
    guardTimer.set(afterMilliseconds: deadlineMilliseconds, accuracy: .exact)
    try arrange(loop)
    try loop.run()
    guardTimer.cancel()
}

/// An actor pinned to a loop, as the daemon has one.
actor Pinned {
    private let loop: EventLoop
    private(set) var count = 0
    private var watch: IOWatch?
    private var timer: LoopTimer?

    nonisolated var unownedExecutor: UnownedSerialExecutor { self.loop.asUnownedSerialExecutor() }

    init(loop: EventLoop) {
        self.loop = loop
    }

    func increment() { self.count += 1 }

    /// Counts the bytes that come in on a descriptor, by a handler that enters the actor.
    func countBytes(
        of descriptor: FileDescriptorBox, then: @escaping @Sendable (Int) -> Void
    ) throws {
        self.watch = try self.loop.watch(descriptor.number, for: .readable) { [weak self] _ in
            var buffer = [UInt8](repeating: 0, count: 16)
            guard case .bytes(let count) = descriptor.read(into: &buffer) else { return }
            self?.assumeIsolated { actor in
                actor.count += count
                then(actor.count)
            }
        }
        self.timer = try self.loop.makeTimer { [weak self] in
            self?.assumeIsolated { $0.increment() }
        }
    }

    /// Lets the sources go.
    func end() {
        self.watch = nil
        self.timer = nil
    }

    func incrementAndCheckThread() -> Bool {
        self.count += 1
        return self.loop.isOnLoop
    }
}

/// The two ends of a pipe.
func pipe() throws -> (FileDescriptorBox, FileDescriptorBox) {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return (FileDescriptorBox(ends[0]), FileDescriptorBox(ends[1]))
}

/// A descriptor that several closures and threads can hold.
final class FileDescriptorBox: Sendable {
    private let descriptor: FileDescriptor

    init(_ number: Int32) {
        self.descriptor = FileDescriptor(owning: number)
    }

    var number: Int32 { self.descriptor.number }

    func write(_ bytes: [UInt8]) -> WriteResult { self.descriptor.write(bytes.span.bytes) }

    func read(into buffer: inout [UInt8]) -> ReadResult { self.descriptor.read(into: &buffer) }
}
