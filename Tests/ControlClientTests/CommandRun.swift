import Glibc
import Posix
import Testing

@testable import stoa

/// What one run of the command line printed and how it ended.
struct CommandRun {
    /// How the process would end.
    let status: Int32
    /// The same where it is one of the program's own codes.
    var code: ExitCode { ExitCode(rawValue: self.status) ?? .internalError }
    let output: String
    let errors: String

    /// Runs the command line in this process, with pipes for its streams.
    ///
    /// What is printed must fit the pipes, 64 KiB each. With `readsOutput` false the output's
    /// reader is gone from the start; with `fillsDisk` true the output is a disk that is full.
    init(
        _ words: [String], daemon: FakeDaemon? = nil, input: [UInt8] = [],
        environment: [String: String] = [:], readsOutput: Bool = true, fillsDisk: Bool = false
    ) throws {
        // As in the program itself; otherwise a closed pipe would end the whole test run.
        ProcessEnvironment.ignoreBrokenPipes()
        let (inputReader, inputWriter) = try Self.pipe()
        let (outputReader, outputWriter) = try Self.pipe()
        let (errorsReader, errorsWriter) = try Self.pipe()
        var environment = environment
        if let daemon { environment["STOA_SOCKET"] = daemon.path }
        // The input may be longer than a pipe holds, so another thread writes it.
        try OSThread.start(name: "test-input") {
            let writer = FileDescriptor(owning: inputWriter)
            var sent = 0
            while sent < input.count {
                guard
                    case .bytes(let count) = writer.write(
                        input.span.bytes.extracting(sent..<input.count))
                else { return }
                sent += count
            }
        }
        if !readsOutput { close(outputReader) }
        var writer = outputWriter
        if fillsDisk {
            close(outputWriter)
            writer = open("/dev/full", O_WRONLY)
        }
        self.status = Self.run(
            words, inputReader, writer, errorsWriter, environment: environment)
        self.output = readsOutput ? Self.readAll(outputReader) : ""
        self.errors = Self.readAll(errorsReader)
    }

    private static func run(
        _ words: [String], _ input: Int32, _ output: Int32, _ errors: Int32,
        environment: [String: String]
    ) -> Int32 {
        let console = Console(
            input: FileDescriptor(owning: input), output: FileDescriptor(owning: output),
            errors: FileDescriptor(owning: errors), environment: environment)
        return CommandLineProgram.run(words, console: console, environment: environment)
    }

    private static func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private static func readAll(_ number: Int32) -> String {
        let descriptor = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case .bytes(let count) = descriptor.read(into: &buffer) { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
