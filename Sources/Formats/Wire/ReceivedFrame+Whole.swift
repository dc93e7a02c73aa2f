extension ReceivedFrame {
    /// Reads one whole frame as ``EncodedFrame`` holds it.
    ///
    /// For what has waited for credit, and for the simulator, which carries frames without a session.
    package init(whole bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let type = try reader.varint("frame type")
        let body = try reader.sized("frame body", limit: Limits.frameBytes)
        try reader.finish("frame")
        self.init(
            frame: try Frame.decode(type: type, body: body),
            channel: try Frame.Kind.channel(of: type),
            byteCount: bytes.count)
    }
}
