import ControlAPI
import Glibc
import Posix

/// A command that is run for an event: with the event as JSON on its standard input, and the parts of
/// it in its environment.
///
/// Nothing of an event is ever part of a command line, so no shell reads it.
struct Hook {
    /// What running it came to.
    enum Outcome: Equatable {
        /// It ended with 0.
        case done
        /// It did not, and why.
        case failed(String)
        /// This program is to end; the command was told so and has ended with 0, or not.
        case interrupted(isDone: Bool)
    }

    /// The program and its arguments.
    let words: [String]
    /// What it gets beside the event.
    let environment: [String: String]
    /// How long it may take, in milliseconds.
    let limitMilliseconds: UInt64
    /// A descriptor that it keeps open, with all that it starts; nil for none.
    let kept: Int32?

    /// How long it may go on once it was told to end, in milliseconds.
    private static let graceMilliseconds: UInt64 = 5_000

    /// Runs it once and waits for its end.
    func run(_ event: JSON, _ variables: [String: String]) -> Outcome {
        var input: Input?
        let process: ChildProcess
        do throws(SystemError) {
            let ends = try Pipe.make()
            let reading = FileDescriptor(owning: ends.output)
            input = Input(FileDescriptor(owning: ends.input), event.textLine)
            var streams: [Int32: Int32] = [0: reading.number]
            if let kept = self.kept { streams[kept] = kept }
            process = try ChildProcess(
                self.words,
                environment: self.environment.merging(variables) { $1 }, streams: streams,
                isLeader: true)
        } catch { return .failed("cannot be started: \(error)") }
        let deadline = SystemClock.monotonicMilliseconds() + self.limitMilliseconds
        while true {
            let now = SystemClock.monotonicMilliseconds()
            guard now < deadline else {
                _ = self.stop(process)
                return .failed("took longer than \(self.limitMilliseconds / 1_000) s and was ended")
            }
            if input?.write() ?? true { input = nil }
            let left = Int32(clamping: deadline - now)
            let ready = PollWait.any(
                readable: [process.endDescriptor] + (Interrupts.descriptor.map { [$0] } ?? []),
                writable: input?.number, millisecondsAtMost: left)
            if ready.contains(process.endDescriptor) { return Self.outcome(process.wait()) }
            if !Interrupts.takeAll().isEmpty {
                return .interrupted(isDone: Self.outcome(self.stop(process)) == .done)
            }
        }
    }

    private static func outcome(_ end: ChildProcess.End) -> Outcome {
        switch end {
        case .exited(0): .done
        case .exited(let status): .failed("ended with \(status)")
        case .killed(let signal): .failed("was ended by signal \(signal)")
        }
    }

    /// Tells it, and all that it has started, to end; then ends it.
    private func stop(_ process: ChildProcess) -> ChildProcess.End {
        process.signal(SIGTERM)
        let ready = PollWait.any(
            readable: [process.endDescriptor], writable: nil,
            millisecondsAtMost: Int32(Self.graceMilliseconds))
        if ready.isEmpty { process.signal(SIGKILL) }
        let end = process.wait()
        // What it has started and left behind.
        process.signal(SIGKILL)
        return end
    }

    /// What is still to be written to the standard input of a command.
    private final class Input {
        private let descriptor: FileDescriptor
        private let bytes: [UInt8]
        private var written = 0

        var number: Int32 { self.descriptor.number }

        init(_ descriptor: consuming FileDescriptor, _ bytes: [UInt8]) {
            _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK)
            self.descriptor = descriptor
            self.bytes = bytes
        }

        /// Writes as much as fits; true where nothing is left, or the command does not want it.
        func write() -> Bool {
            while self.written < self.bytes.count {
                switch self.descriptor.write(self.bytes, from: self.written) {
                case .bytes(let count): self.written += count
                case .wouldBlock: return false
                case .failed: return true
                }
            }
            return true
        }
    }
}

extension JSON {
    /// The compact text with a newline.
    fileprivate var textLine: [UInt8] {
        var line: [UInt8] = []
        self.write(into: &line)
        line.append(0x0A)
        return line
    }
}
