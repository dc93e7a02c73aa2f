import Glibc
import Loop
import Posix
import Web

/// Content that the daemon writes into a pipe and the browser reads.
final class PipedContent {
    enum Piece {
        case bytes(Int)
        /// Nothing now: it is told when there is something.
        case later
        case end
        case broken
    }

    private let loop: EventLoop
    private let output: FileDescriptor
    private var watch: IOWatch?
    /// What was read to know what it is.
    private var beginning: [UInt8] = []
    private var ready: (() -> Void)?

    /// Makes a pipe; the end that the daemon writes into belongs to the caller.
    init?(loop: EventLoop, input: inout Int32) {
        guard let ends = try? Pipe.make(holding: 1 << 18) else { return nil }
        input = ends.input
        self.loop = loop
        self.output = FileDescriptor(owning: ends.output)
        _ = fcntl(ends.output, F_SETFL, O_NONBLOCK)
    }

    /// Calls back once, when there is something to read or nothing more comes.
    func whenReady(_ ready: @escaping () -> Void) {
        self.ready = ready
        if let watch = self.watch { return watch.set(.readable) }
        self.watch = try? self.loop.watch(self.output.number, for: .readable) { [unowned self] _ in
            self.watch?.set([])
            let ready = self.ready
            self.ready = nil
            ready?()
        }
    }

    /// Reads as much as it takes to know what it is; then tells.
    func readBeginning(_ then: @escaping (PictureKind?) -> Void) {
        var buffer = [UInt8](repeating: 0, count: PictureKind.beginningBytes)
        let wanted = PictureKind.beginningBytes - self.beginning.count
        switch self.output.read(into: &buffer, limit: max(1, wanted)) {
        case .bytes(let count):
            self.beginning.append(contentsOf: buffer[..<count])
            guard self.beginning.count < PictureKind.beginningBytes else { break }
            return self.whenReady { [self] in self.readBeginning(then) }
        case .wouldBlock: return self.whenReady { [self] in self.readBeginning(then) }
        case .end, .failed: break
        }
        then(PictureKind(beginning: self.beginning))
    }

    func read(into room: UnsafeMutableRawBufferPointer) -> Piece {
        if !self.beginning.isEmpty {
            let count = min(self.beginning.count, room.count)
            room.copyBytes(from: self.beginning.prefix(count))
            self.beginning.removeFirst(count)
            return .bytes(count)
        }
        while true {
            let count = Glibc.read(self.output.number, room.baseAddress, room.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EAGAIN { return .later }
            if errno != EINTR { return .broken }
        }
    }

    func close() {
        self.watch?.cancel()
        (self.watch, self.ready) = (nil, nil)
    }
}
