/// The method `rpc.discover`.
package enum DiscoverMethod: ControlMethod {
    package static let description = MethodDescription(
        "rpc.discover", "Return this document.", result: "openrpc", hasLargeAnswer: true,
        access: .group)

    /// The OpenRPC document.
    package typealias Result = JSON
}
