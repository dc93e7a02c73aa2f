/// The method `rpc.discover`.
public enum DiscoverMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "rpc.discover", "Return this document.", result: "openrpc", hasLargeAnswer: true,
        access: .group)

    /// The OpenRPC document.
    public typealias Result = JSON
}
