internal import ControlAPI
internal import Engine
internal import Formats

extension EditMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            try shell.checkOwn(entry, toDo: "edit it")
            let message = try shell.message(of: entry)
            guard message.content.isEditable else {
                throw .refused(
                    "that message has no text to edit", reason: "notEditable",
                    remedy: "delete it (stoa delete ID), and send another one")
            }
            // Where it says so already there is nothing that others would not know.
            guard message.content.text != params.text else {
                return reply.answer(
                    shell.changedMessage(message.id, in: message.conversation))
            }
            shell.change(message, by: .edit(params.text, of: EntryTarget(entry)), reply)
        }
    }
}
