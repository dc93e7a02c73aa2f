extension ControlMethod {
    /// The request for this method as a line of JSON-RPC, with its newline.
    package static func line(id: Int64, _ params: Params) -> [UInt8] {
        var line: [UInt8] = []
        line.append(contentsOf: "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":".utf8)
        Self.description.name.write(into: &line)
        line.append(contentsOf: ",\"params\":".utf8)
        params.write(into: &line)
        line.append(contentsOf: "}\n".utf8)
        return line
    }
}
