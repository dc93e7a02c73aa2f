internal import Engine

extension NodeShell {
    var discoveryBackend: String { "none" }
    var discoveryState: String { "off" }
    func stopDiscovery() {}
}
