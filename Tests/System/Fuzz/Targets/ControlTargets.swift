@testable import ControlAPI

/// A stream of lines from a client of the control socket: cut into lines, parsed, looked up, checked,
/// answered.
enum ControlLineTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let portion = Int(feed.byte())
        let stream = feed.remainder()
        let whole = try Self.lines(of: stream, portion: max(1, stream.count))
        let cut = try Self.lines(of: stream, portion: max(1, portion))
        try demand(
            whole.lines == cut.lines && whole.isOver == cut.isOver, "lines hang on how they are cut"
        )
        // The same with a limit that a short line reaches.
        _ = try Self.lines(of: stream, portion: max(1, portion), limit: 64)
        var accepted = 0
        for line in whole.lines { accepted += try Self.answer(line) }
        return accepted == 0 ? .refused : .accepted
    }

    private static func lines(
        of stream: [UInt8], portion: Int, limit: Int = ControlLimits.lineBytes
    ) throws -> (lines: [[UInt8]], isOver: Bool) {
        var codec = LineCodec(limit: limit)
        var lines: [[UInt8]] = []
        var isOver = false
        for start in stride(from: 0, to: stream.count, by: portion) {
            codec.append(stream[start..<min(start + portion, stream.count)])
            do {
                while let line = try codec.nextLine() {
                    try demand(!isOver, "a line comes after one that is too long")
                    lines.append(line)
                }
            } catch is LineError { isOver = true }
        }
        try demand(
            lines.allSatisfy { $0.count <= limit && !$0.contains(0x0A) }, "a line is none")
        if !isOver {
            let due = stream.split(separator: 0x0A, omittingEmptySubsequences: false)
            try demand(
                lines.elementsEqual(due.dropLast(), by: { $0.elementsEqual($1) }),
                "lines are lost or changed")
            try demand(codec.hasPartialLine == (due.last?.isEmpty == false), "a part is forgotten")
        }
        return (lines, isOver)
    }

    /// Reads a line and writes what a daemon would answer; the number of calls that fit a method.
    private static func answer(_ line: [UInt8]) throws -> Int {
        try Self.message(line)
        switch Incoming(parsing: line) {
        case .single(let call): return try Self.answer(call)
        case .batch(let calls):
            try demand((1...ControlLimits.batchElements).contains(calls.count), "a batch is none")
            var reply = BatchReply(to: calls)
            var accepted = 0
            for (position, call) in calls.enumerated() {
                accepted += try Self.answer(call)
                if case .request = call { reply.answer(position, with: .result(.null)) }
            }
            try demand(reply.isComplete, "a batch waits for nobody")
            let silent = calls.count { if case .notification = $0 { true } else { false } }
            let answers = reply.json?.arrayValue ?? []
            try demand(answers.count == calls.count - silent, "a batch has other answers")
            for answer in answers { try Self.returns(answer) }
            return accepted
        }
    }

    private static func answer(_ call: RPCCall) throws -> Int {
        switch call {
        case .invalid(let error):
            try Self.returns(RPCResponse(error: error).json)
            return 0
        case .notification(let request): return try Self.perform(request, id: nil)
        case .request(let id, let request): return try Self.perform(request, id: id)
        }
    }

    private static func perform(_ request: RPCRequest, id: RPCRequestID?) throws -> Int {
        // What a client would write for it means the same.
        let again = Incoming(parsing: request.json(id: id).bytes)
        let due: RPCCall = id.map { .request(id: $0, request) } ?? .notification(request)
        try demand(again == .single(due), "a request does not survive its encoding")
        do throws(RPCError) {
            guard
                let method = ControlMethods.all.first(where: {
                    $0.description.name == request.method
                })
            else { throw .methodNotFound(request.method) }
            try Self.read(request.params, of: method)
            return 1
        } catch {
            try Self.returns(RPCResponse(id: id ?? .null, error: error).json)
            guard let finding = error.data?["finding"]?.stringValue else { return 0 }
            throw Finding(finding)
        }
    }

    /// Parameters are the same after they were written and read.
    private static func read<Method: ControlMethod>(
        _ params: RPCParams, of method: Method.Type
    ) throws(RPCError) {
        let read = try Method.read(params)
        guard try Method.read(read.params) == read else {
            throw RPCError(
                code: 0, message: "",
                data: ["finding": "parameters do not survive their encoding"])
        }
    }

    /// An answer is one line, steers no terminal, and a client reads what was written.
    private static func returns(_ json: JSON) throws {
        let line = json.line
        try demand(line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "an answer steers")
        try demand(line.count <= ControlLimits.lineBytes + 1, "an answer is too long")
        guard case .response(let response)? = ServerMessage(try JSON(parsing: line)) else {
            throw Finding("an answer is none")
        }
        try demand(response.json.bytes == json.bytes, "an answer does not survive its encoding")
        guard case .failure(let error) = response.outcome else { return }
        try demand(
            error.reason?.isEmpty == false && error.remedy?.isEmpty == false,
            "an error says nothing")
    }

    /// The same line as a client would read it from a daemon.
    private static func message(_ line: [UInt8]) throws {
        guard let json = try? JSON(parsing: line), let message = ServerMessage(json) else { return }
        switch message {
        case .response(let response):
            try demand(
                ServerMessage(response.json) == message, "a response does not survive its encoding")
        case .notification(let request):
            try demand(
                ServerMessage(request.json(id: nil)) == message,
                "a notification does not survive its encoding")
        }
    }
}

/// One JSON text.
enum JSONTarget {
    static func run(_ bytes: [UInt8]) throws -> Verdict {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes)
        } catch {
            try demand((0...bytes.count).contains(error.offset), "a fault lies outside of the text")
            try demand(!error.text.isEmpty, "a fault has no words")
            return .refused
        }
        let written = json.bytes
        try demand(
            written.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "a text steers a terminal")
        let again = try JSON(parsing: written)
        // Bytes and not `==`, which holds canonically equivalent strings for the same.
        try demand(again == json && again.bytes == written, "a value does not survive its encoding")
        try demand(
            Self.depth(of: json) <= ControlLimits.nestingDepth, "a value is deeper than its limit")
        try demand(
            bytes.isEmpty || (try? JSON(parsing: bytes, byteLimit: bytes.count - 1)) == nil,
            "a text is taken beyond its limit")
        return .accepted
    }

    private static func depth(of json: JSON) -> Int {
        switch json {
        case .array(let elements): 1 + (elements.map(Self.depth).max() ?? 0)
        case .object(let members): 1 + (members.map { Self.depth(of: $0.value) }.max() ?? 0)
        case .null, .bool, .integer, .number, .string, .written: 0
        }
    }
}
