internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Posix

extension ConnectMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let address: PeerAddress
        do throws(PeerAddressError) {
            address = try PeerAddress(params.address)
        } catch {
            throw .invalidParams(
                "\"\(TerminalText.line(params.address))\" is not [KEY@]HOST:PORT",
                reason: "badAddress", remedy: error.description,
                details: [JSON.Member("param", "address")])
        }
        let deadline = params.waitMilliseconds.map {
            SystemClock.monotonicMilliseconds() + UInt64($0)
        }
        shell.resolve(address) { result in
            switch result {
            case .success(let numeric):
                shell.request(
                    .connect(address: numeric, expecting: address.key, by: deadline),
                    PendingRequest(reply, then: .linked(to: numeric)))
            case .failure(let error):
                reply.fail(
                    .notFound(
                        "the address of \(address.address) cannot be found: \(error.advice ?? error.cause)",
                        reason: "unknownHost", remedy: "check the name, or give the address itself"
                    ))
            }
        }
    }
}

extension NodeShell {
    /// Finds the numeric address of a peer; looks names up on the worker, since that may block.
    func resolve(
        _ address: PeerAddress, then: @escaping (Result<String, SystemError>) -> Void
    ) {
        if let numeric = address.numeric {
            then(.success(numeric))
            return
        }
        let text = address.address
        let isTaken = self.workers.common.run { () -> Result<String, SystemError> in
            do throws(SystemError) {
                let found = try SocketAddress.resolve(text)
                guard let first = found.first else {
                    return .failure(SystemError(2, "resolve", text, advice: "it has no address"))
                }
                return .success(first.description)
            } catch { return .failure(error) }
        } then: { result in
            self.turn { then(result) }
        }
        if !isTaken {
            then(
                .failure(
                    SystemError(11, "resolve", text, advice: "too many names are being looked up")))
        }
    }
}
