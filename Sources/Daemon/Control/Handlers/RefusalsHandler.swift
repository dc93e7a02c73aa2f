internal import ControlAPI
internal import Engine
internal import Formats

extension RefusalsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "refusals")
        reply.answer(
            cut.page(of: shell.node.refusals, byteLimit: reply.listBytes) { refusal in
                // As long as the longest, so that texts are ordered as numbers are; the newest first.
                let text = String(UInt64.max - refusal.number)
                let zeros = String(repeating: "0", count: 20 - text.utf8.count)
                return PagePlace(rank: 0, key: zeros + text)
            } element: {
                Refusal($0)
            })
    }
}

extension RefusalsMethod.Refusal {
    init(_ refusal: Engine.Refusal) {
        self.init()
        self.time = Timestamp(clamping: refusal.time)
        self.address = refusal.address
        self.peer = refusal.peer?.description
        self.reason = refusal.reason
        self.count = Int64(refusal.count)
    }
}
