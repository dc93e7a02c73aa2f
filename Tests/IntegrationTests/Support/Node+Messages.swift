import ControlAPI

extension Node {
    func join(_ room: String) throws { _ = try self.call("join", ["room": .string(room)]) }

    @discardableResult
    func send(_ text: String, to room: String) throws -> JSON {
        try self.call("send", ["to": .string(room), "text": .string(text)])
    }

    /// All messages of a room in display order, read page by page.
    func history(of room: String) throws -> [JSON] {
        var messages: [JSON] = []
        while true {
            var params: [JSON.Member] = [.init("to", .string(room)), .init("limit", 1_000)]
            if let first = messages.first?["id"] { params.append(.init("before", first)) }
            let page = try self.call("history", .object(params))
            messages = (page["messages"]?.arrayValue ?? []) + messages
            guard page["more"] == true else { return messages }
        }
    }

    /// The text that a room shows last.
    func newestText(in room: String) throws -> String? {
        let page = try self.call("history", ["to": .string(room), "limit": 1])
        return page["messages"]?.arrayValue?.last?["text"]?.stringValue
    }

    /// Waits until a text is the last one that a room shows, for as long as there is progress.
    func awaitNewest(_ text: String, in room: String) throws {
        let control = try self.control()
        var newest: String?
        var deadline = Deadline.patient
        while true {
            let found = try self.newestText(in: room)
            if found == text { return }
            if found != newest { (newest, deadline) = (found, .patient) }
            guard !deadline.hasPassed else {
                throw Broken(
                    "\(self.name) stopped at \(newest ?? "nothing"), before \(text)\n\(self.log)")
            }
            // The pause between two questions; ends early when the daemon says something.
            _ = try control.receive(Deadline(afterMilliseconds: 50))
        }
    }

    /// The texts of a room in display order.
    func texts(in room: String) throws -> [String] {
        try self.history(of: room).filter { $0["kind"] == "text" }
            .compactMap { $0["text"]?.stringValue }
    }

    /// The history as replicas must agree on it, a message a line: the cursor and `late` tell only
    /// how a message came to this node, and `own` whose node it is.
    func agreedHistory(of room: String) throws -> [String] {
        try self.history(of: room).map { message in
            let members = message.objectValue ?? []
            let agreed = members.filter { !["cursor", "late", "own"].contains($0.name) }
            return String(decoding: JSON.object(agreed).line, as: UTF8.self)
        }
    }

    /// Waits until a room's texts are all there, told of them by the daemon.
    func awaitTexts(
        _ texts: some Sequence<String>, in room: String, _ deadline: Deadline = .patient
    ) throws {
        let connection = try ControlConnection(path: self.socket)
        _ = try connection.call("subscribe", ["to": .string(room), "from": 0])
        var missing = Set(texts)
        while true {
            for message in try connection.takeMessages() {
                if let text = message["text"]?.stringValue { missing.remove(text) }
            }
            if missing.isEmpty { return }
            guard try connection.receive(deadline) else {
                let few = missing.sorted().prefix(3)
                throw Broken("\(self.name) lacks \(missing.count): \(few)\n\(self.log)")
            }
        }
    }
}
