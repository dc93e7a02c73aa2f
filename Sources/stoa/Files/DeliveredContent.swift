import Posix

/// What the daemon writes into a pipe that it was passed.
enum DeliveredContent {
    /// Makes the pipe; the caller owns both ends.
    static func pipe() throws(Failure) -> (output: Int32, input: Int32) {
        // A few parts of a file, so that the daemon goes on while they are written.
        do throws(SystemError) { return try Pipe.make(holding: 1_048_576) } catch {
            throw Failure(.internalError, why: "\(error)", next: "close some programs")
        }
    }

    /// Reads a small content to its end, at most one byte more than `limit`.
    static func all(
        of reading: borrowing FileDescriptor, limit: Int
    ) throws(Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit + 1)
        var content: [UInt8] = []
        while content.count <= limit {
            switch reading.read(into: &buffer) {
            case .bytes(let count): content += buffer[..<count]
            case .wouldBlock:
                _ = try PollWait.until(
                    readable: [reading.number], closed: nil, millisecondsAtMost: nil)
            case .end: return content
            case .failed(let error):
                throw Failure(.inputOutput, why: "\(error)", next: "ask again")
            }
        }
        return content
    }
}

extension OptionSyntax {
    /// Where what the daemon writes goes.
    static let saving = OptionSyntax(
        "-o", "FILE", "save it as FILE; - writes it to standard output")
}

extension ParsedArguments {
    /// What ``OptionSyntax/saving`` names: a path, `-`, or nil where it was not given.
    func savingPath() throws(Failure) -> String? {
        let path = self.value(OptionSyntax.saving.name)
        if path == "" { throw .usage("-o names no file", next: "give a path, or -") }
        return path
    }
}
