internal import ControlAPI
internal import Engine
internal import Formats

extension TransfersMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        var page = PageParams()
        (page.limit, page.after) = (params.limit, params.after)
        let cut = try page.cut(of: Self.description.name)
        if params.follow == true, let client = reply.asker { shell.files.follow(client) }
        // What has no name yet has one in a moment, and is told then.
        let running = shell.files.running.filter { $0.value.named != nil }.map { blob, known in
            var running = known
            // Who has it may have changed since something came.
            running.report = shell.node.ask { $0.transfer(of: blob) } ?? known.report
            return (rank: 0, blob: blob, running: running)
        }
        let ended = shell.files.ended.filter { $0.running.named != nil }.map {
            (rank: 1, blob: $0.blob, running: $0.running)
        }
        reply.answer(
            cut.page(of: running + ended, byteLimit: reply.listBytes) { element in
                PagePlace(rank: element.rank, key: element.blob.description)
            } element: {
                shell.transferResult($0.running)
            })
    }
}
