import Web

/// What a browser, or whoever else connects, sends on a WebSocket.
enum WebSocketTarget {
    private static let limit = 256

    static func run(_ bytes: [UInt8]) throws -> Verdict {
        var feed = Feed(bytes)
        let portion = max(1, Int(feed.byte()))
        let stream = feed.remainder()
        let whole = try Self.messages(of: stream, portion: max(1, stream.count))
        let cut = try Self.messages(of: stream, portion: portion)
        try demand(whole.messages == cut.messages, "messages hang on how they are cut")
        try demand(whole.error == cut.error, "errors hang on how they are cut")
        return whole.messages.isEmpty ? .refused : .accepted
    }

    private static func messages(
        of stream: [UInt8], portion: Int
    ) throws -> (messages: [WebSocketReader.Message], error: WebSocketError?) {
        var reader = WebSocketReader(limit: Self.limit)
        var messages: [WebSocketReader.Message] = []
        for start in stride(from: 0, to: stream.count, by: portion) {
            reader.append(stream[start..<min(start + portion, stream.count)])
            do {
                while let message = try reader.next() {
                    if case .text(let text) = message {
                        try demand(text.count <= Self.limit, "a message is too long")
                    }
                    messages.append(message)
                }
            } catch let error as WebSocketError {
                return (messages, error)
            }
        }
        return (messages, nil)
    }
}
