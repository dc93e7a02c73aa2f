internal import ControlAPI
internal import Engine
internal import Formats

extension PresenceMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let presence = shell.clients.attention.note(
            params.presence, isActive: params.active, at: shell.now.monotonic)
        if let presence {
            shell.request(.presence(presence), reply)
        } else {
            reply.answer(shell.presenceResult(shell.node.ownPresence))
        }
    }
}

extension TypingMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.request(.typing(try shell.conversation(params.to)), reply)
    }
}

extension NodeShell {
    func presenceResult(_ presence: Presence) -> PresenceMethod.Result {
        PresenceMethod.Result {
            $0.presence = PresenceWord(presence)
            $0.shown = self.configuration.tellsPresence
            let now = self.now.monotonic
            $0.activeMilliseconds = self.clients.attention.activeAt.map {
                Int64(clamping: now - min($0, now))
            }
        }
    }
}

extension PresenceWord {
    /// The same in the words of the API.
    init(_ presence: Presence) {
        self =
            switch presence {
            case .online: .online
            case .away: .away
            }
    }

    /// How reachable somebody is; nil for who is linked and does not tell.
    init?(_ peer: PeerStatus) {
        if let presence = peer.presence {
            self.init(presence)
        } else if peer.state == .linked {
            return nil
        } else {
            self = .offline
        }
    }
}
