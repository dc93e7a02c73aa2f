internal import ControlAPI
internal import Engine
internal import Formats

extension CancelTransferMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            let (_, file, _) = try shell.file(of: entry)
            guard let running = shell.files.running[file.blob] else {
                throw .refused(
                    "that file is not being fetched", reason: "notFetching",
                    remedy: "see the downloads: stoa transfers")
            }
            var ended = running
            ended.report.state = .failed(.cancelled)
            shell.happened(.transfer(.cancel(file.blob)))
            reply.answer(shell.transferResult(ended))
        }
    }
}
