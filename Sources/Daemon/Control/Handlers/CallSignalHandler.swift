internal import ControlAPI
internal import Engine
internal import Formats

extension CallSignalMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let conversation = try shell.conversation(params.to)
        let member = try shell.person(params.member, for: .reach)
        shell.request(
            .callSignal(
                conversation, member, isDevice: params.device == true, params.data.bytes), reply)
    }
}

extension NodeShell {
    /// What is left of a call in a conversation, of which all others were called.
    func callEntry(_ call: CallResult, in id: ConversationID) throws(RPCError) -> CallEntry {
        let members = self.node.ask { $0.conversationStatus(of: id)?.members } ?? []
        let others = members.filter { !self.isOwn($0) }
        let people = others.compactMap { peer in self.node.ask { $0.person(of: peer) } }
        let entry = CallEntry(
            CallEntry.Outcome(call.outcome), seconds: UInt64(max(0, call.seconds)),
            people: Set(people).sorted().prefix(Limits.calledPeople), fallback: call.text)
        guard let entry else {
            throw .refused(
                "there is nobody in this conversation who could be called", reason: "nobodyCalled",
                remedy: "see its members: stoa members ROOM")
        }
        return entry
    }
}

extension CallEvent {
    /// The host of a numeric address, without brackets and port.
    static func host(of address: String) -> String {
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address[...]
        return String(host.first == "[" ? host.dropFirst().dropLast() : host)
    }
}

extension CallEntry.Outcome {
    fileprivate init(_ outcome: CallResult.Outcome) {
        self =
            switch outcome {
            case .answered: .answered
            case .missed: .missed
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: .failed
            }
    }
}

extension CallResult {
    init(_ call: CallEntry) {
        self.init()
        self.outcome =
            switch call.outcome {
            case .answered: .answered
            case .missed: .missed
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: .failed
            }
        self.seconds = Int64(clamping: call.seconds)
    }
}
