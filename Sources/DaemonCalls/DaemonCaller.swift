package import ControlAPI
internal import ControlClient
package import Loop
internal import Posix

/// A connection to the daemon of this program's own: it asks, and is told when the answer comes.
package final class DaemonCaller {
    private let loop: EventLoop
    private let path: String
    private let lost: () -> Void
    private var client: LineClient?
    private var watch: IOWatch?
    private var lastID: Int64 = 0
    private var waiting: [Int64: (RPCResponse.Outcome) -> Void] = [:]

    package init(loop: EventLoop, path: String, lost: @escaping () -> Void) {
        (self.loop, self.path, self.lost) = (loop, path, lost)
    }

    /// Connects, if it is not connected; false where nobody listens.
    package func connect() -> Bool {
        guard self.client == nil else { return true }
        guard let client = try? LineClient(path: self.path),
            let watch = try? self.loop.watch(
                client.descriptor, for: .readable, handler: { [unowned self] _ in self.receive() })
        else { return false }
        (self.client, self.watch) = (client, watch)
        return true
    }

    /// Asks; `then` is called once, later, with the answer or with what became of the daemon.
    package func ask<Method: ControlMethod>(
        _ method: Method.Type, _ params: Method.Params, passing descriptor: Int32? = nil,
        then: @escaping (RPCResponse.Outcome) -> Void
    ) {
        self.lastID += 1
        self.waiting[self.lastID] = then
        guard self.connect(), let client = self.client else { return self.lose() }
        let line = Method.line(id: self.lastID, params)
        do throws(ClientError) {
            if let descriptor {
                try client.write(line, passing: descriptor)
            } else {
                try client.write(line)
            }
        } catch {
            self.lose()
        }
    }

    private func receive() {
        guard let client = self.client else { return }
        do throws(ClientError) {
            for message in try client.receive() {
                guard case .response(let response) = message, case .integer(let id) = response.id
                else { continue }
                self.waiting.removeValue(forKey: id)?(response.outcome)
            }
        } catch {
            self.lose()
        }
    }

    private func lose() {
        self.watch?.cancel()
        (self.watch, self.client) = (nil, nil)
        let waiting = self.waiting.sorted { $0.key < $1.key }
        self.waiting = [:]
        self.lost()
        for (_, then) in waiting { then(.failure(.shuttingDown())) }
    }
}
