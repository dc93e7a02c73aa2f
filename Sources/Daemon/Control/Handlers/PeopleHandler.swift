internal import ControlAPI
internal import Engine

extension PeopleMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let known = shell.node?.ask { $0.knownPeople } ?? []
        let peers = shell.node?.peers ?? []
        let byID = Dictionary(peers.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        reply.answer(known.map { shell.personResult($0, byID[$0]) })
    }
}
