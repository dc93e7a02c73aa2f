internal import ControlAPI
internal import Engine
internal import Posix

extension SendMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let conversation = try shell.conversation(params.to)
        var deadline: UInt64?
        if params.wait == .delivered {
            let milliseconds = params.timeoutMilliseconds ?? ControlLimits.waitMillisecondsDefault
            deadline = SystemClock.monotonicMilliseconds() + UInt64(max(0, milliseconds))
        }
        shell.request(
            .send(
                Outgoing(
                    conversation: conversation, text: params.text,
                    idempotencyKey: params.idempotencyKey, deliverBy: deadline)),
            PendingRequest(reply: reply))
    }
}
