import ControlAPI
import Glibc
import Posix

/// The command `stoa fetch`.
struct FetchCommand: Subcommand {
    static let syntax = CommandSyntax(
        FetchMethod.description,
        examples: ["stoa fetch 7k3mz2qd", "stoa fetch 7k3mz2qd -o - | tar x"], operands: ["ID"],
        options: [.saving],
        details: [
            "ID is a message's id, or at least its first 8 characters: \"stoa history TO --ids\" shows them.",
            "Without -o the file is saved in the current folder under the name its author gave it; unsafe characters become _. No file is ever overwritten.",
            "If the file is not here yet, fetch waits for a peer that has it and downloads it. With -o - the content is written as it arrives.",
            "If the daemon restarts meanwhile, fetch goes on. If stoa ends, the daemon goes on downloading, and the next fetch saves what has arrived; \"stoa transfers cancel ID\" stops it and deletes the parts.",
        ])
    static let mayTakeLong = true

    private let id: String
    private let output: String?

    init(_ arguments: ParsedArguments) throws(Failure) {
        self.id = arguments.required(0)
        self.output = try arguments.savingPath()
    }

    func run(in context: CommandContext) throws(Failure) {
        do throws(Failure) { try self.fetch(context) } catch {
            var failure = error
            if error.isInterrupt, failure.next.isEmpty { failure.next = Self.rest(of: self.id) }
            throw failure
        }
    }

    private func fetch(_ context: CommandContext) throws(Failure) {
        var (reading, found) = try self.open(context)
        let size = found.size
        let file =
            try self.isToOutput
            ? nil : SavedFile(chosen: self.output, name: found.name, bytes: size)
        var progress = ProgressLine(context.console, name: found.name.shown, total: size)
        var count: Int64 = 0
        do throws(Failure) {
            var attempts = 0
            while true {
                let before = count
                try self.copy(reading, to: file, of: found, from: &count, context, &progress)
                guard count < size else { break }
                attempts = count > before ? 1 : attempts + 1
                progress.clear()
                // A daemon that stops closes its end before it has told anything.
                let reason = try context.throughRestarts(of: Self.syntax.name) {
                    () throws(Failure) in
                    try self.reason(of: found, context)
                }
                guard reason.isStopped, attempts < Self.attempts else { throw reason.failure }
                (reading, found) = try context.throughRestarts(of: Self.syntax.name) {
                    () throws(Failure) in try self.open(context)
                }
            }
        } catch {
            progress.clear()
            var failure = error
            if error.isInterrupt { failure.next = self.rest(of: found, count) }
            throw failure
        }
        progress.clear()
        guard let file else { return try context.console.flush() }
        let place = try file.keep()
        context.noteChange(found.id.shown)
        if context.json {
            let path = try context.wholePath(place)
            try context.console.print(
                ["id": .string(found.id), "path": .string(path), "size": .integer(size)])
        } else {
            try context.console.print(
                "saved \(TerminalText.line(place)) (\(ByteCount.text(size)))\n")
        }
    }

    /// What is to be done about a file of which so much has come before a signal.
    private func rest(of found: TransferResult, _ count: Int64) -> String {
        let id = found.id.shown.prefix(12)
        let come = "\(ByteCount.text(count)) of \(ByteCount.text(found.size))"
        let what = self.isToOutput ? " were written" : " had arrived, and nothing was saved"
        return "\(come)\(what); \(Self.rest(of: String(id)))"
    }

    /// How to get a file that the daemon downloads, and how to do without it.
    private static func rest(of id: String) -> String {
        let id = TerminalText.word(id)
        return "the daemon goes on downloading: \"stoa fetch \(id)\" saves it, "
            + "\"stoa transfers cancel \(id)\" stops it"
    }

    /// How often the daemon is asked for a file of which nothing comes.
    private static let attempts = 3

    /// Has the daemon write it; gives where that is read.
    private func open(
        _ context: CommandContext
    ) throws(Failure) -> (Reading, TransferResult) {
        let ends = try DeliveredContent.pipe()
        let reading = Reading(FileDescriptor(owning: ends.output))
        return (reading, try self.ask(context, passing: FileDescriptor(owning: ends.input)))
    }

    /// The end of a pipe, which is closed with the last reference.
    private final class Reading {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private var isToOutput: Bool { self.output == "-" }

    /// Has the daemon write it; the end that it writes to is closed here.
    private func ask(
        _ context: CommandContext, passing writing: consuming FileDescriptor
    ) throws(Failure) -> TransferResult {
        try context.call(
            FetchMethod.self,
            FetchMethod.Params {
                $0.id = self.id
                $0.output = true
            }, passing: writing.number
        ).value
    }

    /// Copies what comes until the daemon closes its end.
    ///
    /// - Parameter count: how many bytes are copied already; they come again first.
    private func copy(
        _ reading: Reading, to file: SavedFile?, of found: TransferResult, from count: inout Int64,
        _ context: CommandContext, _ progress: inout ProgressLine
    ) throws(Failure) {
        let descriptor = reading.descriptor.number
        var buffer = [UInt8](repeating: 0, count: 262_144)
        var known = count
        var isTold = false
        let patience = context.options.timeoutMilliseconds.map { Int32(clamping: $0) }
        while true {
            let wait = isTold ? patience ?? -1 : min(patience ?? 2_000, 2_000)
            let ready = try PollWait.until(
                readable: [descriptor],
                closed: self.isToOutput ? context.console.outputPipeNumber : nil,
                millisecondsAtMost: wait < 0 ? nil : wait)
            if ready.pipeClosed { throw .outputClosed }
            if ready.timedOut {
                guard !isTold else {
                    throw Failure(
                        .temporary, why: "nothing has arrived for too long",
                        next:
                            "the download goes on when a peer that has the file is linked; fetch it again then"
                    )
                }
                isTold = true
                context.console.report(
                    "stoa: fetch: waiting for a peer that has \(found.name.shown); it goes on by itself\n"
                )
                continue
            }
            let limit = known > 0 ? Int(clamping: known) : buffer.count
            switch reading.descriptor.read(into: &buffer, limit: limit) {
            case .bytes(let read) where known > 0: known -= Int64(read)
            case .bytes(let read):
                count += Int64(read)
                if let file {
                    try file.write(buffer, count: read)
                } else {
                    try context.console.pass(Array(buffer[..<read]), toErrors: false)
                }
                progress.draw(count)
            case .wouldBlock: continue
            case .end: return
            case .failed(let error):
                throw Failure(.inputOutput, why: "\(error)", next: "fetch it again")
            }
        }
    }

    /// Why it did not come to its end, and whether the daemon only stopped, as where it restarts.
    private func reason(
        of found: TransferResult, _ context: CommandContext
    ) throws(Failure) -> (failure: Failure, isStopped: Bool) {
        var reason: String?
        try context.forEachPage(
            of: TransfersMethod.self,
            { page in
                TransfersMethod.Params { ($0.limit, $0.after) = (page.limit, page.after) }
            }
        ) { items in
            let ended = items.first { $0.id == found.id && $0.state == .failed }
            reason = reason ?? ended?.reason
        }
        return (Self.failure(reason), reason == nil)
    }

    private static func failure(_ reason: String?) -> Failure {
        switch reason {
        case "diskFull":
            return Failure(
                .inputOutput, why: "the daemon's disk is full",
                next: "free some space and fetch it again: the parts that arrived are kept")
        case "fileQuota":
            return Failure(
                .refused, why: "files already take all the disk space they may",
                next: "delete some messages with files, or raise FileLimit in stoad.conf")
        case "cancelled":
            return Failure(.temporary, why: "it was cancelled", next: "fetch it again")
        case "gone":
            return Failure(
                .badData, why: "its message was deleted or has expired", next: "")
        default:
            return Failure(
                .temporary, why: "the daemon stopped sending it",
                next: "see its log, and fetch it again: the parts that arrived are kept")
        }
    }
}
