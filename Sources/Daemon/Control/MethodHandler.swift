internal import ControlAPI
internal import Engine

/// A method of the control API as the daemon performs it: an extension of the method, one file each
/// in `Handlers`.
protocol MethodHandler: ControlMethod {
    /// Does what a client asks for, and answers once, now or later.
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError)
}

/// The methods of ``ControlMethods/all`` by their names.
enum MethodHandlers {
    /// Traps at the first request when a method of the table has no handler.
    static let byName: [String: any MethodHandler.Type] = {
        var byName: [String: any MethodHandler.Type] = [:]
        for method in ControlMethods.all {
            guard let handler = method as? any MethodHandler.Type else {
                preconditionFailure("every method has a handler")
            }
            byName[method.description.name] = handler
        }
        return byName
    }()
}

extension NodeShell {
    /// Does what a client asks for; each call is answered once, now or later.
    func handle(_ request: RPCRequest, _ reply: Reply) {
        guard self.life.isRunning else {
            reply.fail(.shuttingDown())
            return
        }
        guard let method = MethodHandlers.byName[request.method] else {
            reply.fail(.methodNotFound(request.method))
            return
        }
        guard method.description.access == .group || reply.asker?.access != .group else {
            reply.fail(.ownerOnly("call \(request.method)"))
            return
        }
        // A client also says by itself that the user is away.
        if self.configuration.lock.afterMinutes > 0, method.description.isChange,
            method != PresenceMethod.self
        {
            self.clients.attention.act(at: self.now.monotonic)
        }
        do throws(RPCError) {
            try self.handle(method, request.params, reply)
        } catch { reply.fail(error) }
    }

    private func handle<Method: MethodHandler>(
        _ method: Method.Type, _ params: RPCParams, _ reply: Reply
    ) throws(RPCError) {
        try Method.handle(try Method.read(params), reply, in: self)
    }
}

extension RPCError {
    /// For a member of the group of the socket, who asks for what only the daemon's user may do.
    static func ownerOnly(_ what: String) -> RPCError {
        .refused(
            "only the user whose daemon this is may \(what)", reason: "ownerOnly",
            remedy: "run it as that user: stoa-control(7) lists what the group may do")
    }
}
