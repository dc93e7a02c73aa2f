internal import ControlAPI
internal import Engine
internal import Formats

extension PeopleMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "people")
        let known = shell.node.ask { $0.chosenPeople }
        reply.answer(
            cut.page(of: known, byteLimit: reply.listBytes) {
                PagePlace(rank: 0, key: $0.description)
            } element: {
                shell.personResult($0)
            })
    }
}
