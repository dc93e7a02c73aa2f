internal import ControlAPI
internal import Engine
internal import Formats

extension DialsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "dials")
        let targets = shell.node.targets.filter {
            // The others are linked, or lead to this node itself.
            $0.state == .connecting || $0.state == .waiting
        }
        reply.answer(
            cut.page(of: targets, byteLimit: reply.listBytes) { target in
                let rank =
                    switch target.source {
                    case .static: 0
                    case .remembered, .record: 1
                    case .discovery, .incoming: 2
                    }
                return PagePlace(rank: rank, key: target.name)
            } element: {
                Dial($0)
            })
    }
}

extension DialsMethod.Dial {
    init(_ target: TargetStatus) {
        self.init()
        self.addresses = target.addresses
        self.source = PeersMethod.Source(target.source)
        self.peer = target.peer?.description
        self.dialling = target.state == .connecting
        self.failure = target.failedDial?.failure.reason.rawValue
        self.detail = target.failedDial?.failure.detail
        self.failedAt = target.failedDial.map { Timestamp(clamping: $0.time) }
        self.failures = Int64(target.failedDial?.count ?? 0)
    }
}
