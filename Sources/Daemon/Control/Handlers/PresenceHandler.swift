internal import ControlAPI
internal import Engine
internal import Formats

extension PresenceMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if params.active == true || params.presence == .online {
            shell.userActiveAt = shell.now.monotonic
        }
        let isBack = params.active == true && shell.isAwayUnattended
        if params.presence != nil || isBack {
            shell.isAwayUnattended = params.presence == .away && params.active == false
        }
        switch params.presence ?? (isBack ? .online : nil) {
        case .online: shell.request(.presence(.online), PendingRequest(reply: reply))
        case .away: shell.request(.presence(.away), PendingRequest(reply: reply))
        case .offline, nil: reply.answer(shell.presenceResult(shell.node?.ownPresence ?? .online))
        }
    }
}

extension TypingMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.request(.typing(try shell.conversation(params.to)), PendingRequest(reply: reply))
    }
}

extension NodeShell {
    func presenceResult(_ presence: Presence) -> PresenceMethod.Result {
        PresenceMethod.Result {
            $0.presence = PresenceWord(presence)
            $0.shown = self.configuration.tellsPresence
            let now = self.now.monotonic
            $0.activeMilliseconds = self.userActiveAt.map { Int64(clamping: now - min($0, now)) }
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
