internal import ControlAPI

/// What the program tells its pages besides what the daemon says.
package enum PageEvent {
    /// The first answer: the page is in.
    ///
    /// - Parameter notes: what earlier pages kept.
    package static func opened(
        isDaemonUp: Bool, _ outbox: WebOutbox, _ notes: PageNotes
    ) -> [UInt8] {
        self.line(
            "web.opened",
            [
                "version": .string(StoaVersion.text),
                "notes": .array(notes.notes.map(\.json)), "daemon": .bool(isDaemonUp),
                "outbox": self.json(outbox),
            ])
    }

    /// The daemon has come, or gone, for this page.
    package static func daemon(isUp: Bool) -> [UInt8] {
        self.line("web.daemon", ["up": .bool(isUp)])
    }

    /// What waits to be sent has changed.
    package static func outbox(_ outbox: WebOutbox) -> [UInt8] {
        self.line("web.outbox", ["items": self.json(outbox)])
    }

    private static func line(_ method: String, _ params: JSON) -> [UInt8] {
        JSON.members(["jsonrpc": "2.0", "method": .string(method), "params": params]).bytes
    }

    private static func json(_ outbox: WebOutbox) -> JSON {
        .array(
            outbox.items.map { item in
                .members([
                    "key": .string(item.params.idempotencyKey ?? ""),
                    "to": .string(item.params.to), "text": .string(item.params.text),
                    "kind": item.params.kind.map { .string($0.rawValue) },
                    "replyTo": item.params.replyTo.map { .string($0) },
                    "file": item.params.file?.json,
                    "error": item.failure?.json,
                ])
            })
    }
}

/// What is said in the daemon's place where it is not there.
package enum DaemonLine {
    /// The answer to a line that was meant for it.
    package static func unavailable(_ line: [UInt8]) -> [UInt8] {
        guard case .single(.request(let id, _)) = Incoming(parsing: line) else {
            return RPCResponse(error: .shuttingDown()).line
        }
        return RPCResponse(id: id, error: .shuttingDown()).line
    }
}
