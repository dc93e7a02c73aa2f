import ControlAPI
import Testing

@testable import Chat

/// The client with a daemon that answers as the test says.
struct Client {
    static let ada = String(repeating: "a", count: 52)
    static let ben = String(repeating: "b", count: 52)
    static let ops = String(repeating: "o", count: 52)

    var state = ChatState(to: nil, run: 1) { milliseconds in
        if milliseconds > 1 << 40 {
            // Of our days: two hours ahead of universal time.
            let words = Timestamp(milliseconds: milliseconds + 7_200_000).text
                .split { !$0.isNumber }.compactMap { Int($0) }
            return .init(
                year: words[0], month: words[1], day: words[2], hour: words[3], minute: words[4],
                second: words[5], weekday: 4)
        }
        let minutes = Int(milliseconds / 60_000)
        return .init(
            year: 2026, month: 1, day: 1 + minutes / 1_440, hour: minutes / 60 % 24,
            minute: minutes % 60, second: Int(milliseconds / 1_000 % 60), weekday: 4)
    }
    var now: Int64 = 1_000
    /// How much further the clock on the wall has gone, as over a suspend.
    var wallAhead: Int64 = 0
    var cursor: Int64 = 0
    /// What was asked and not answered: id, method, parameters.
    var asked: [(id: Int64, method: String, params: JSON)] = []
    var effects: [ChatEffect] = []

    init(
        history: [JSON] = [], columns: Int = 80, left: SavedChat? = nil,
        conversations: [JSON]? = nil
    ) {
        if let left { self.state.restore(left) }
        self.give(.resized(columns: columns, rows: 24))
        self.connect(history: history, conversations: conversations)
    }

    mutating func give(_ event: ChatEvent) {
        self.now += 10
        self.handle(event)
        if case .ending = event { return }
        // As the shell does: it draws, and what was seen by that is told at once.
        _ = self.state.frame()
        if let due = self.state.nextDue, due <= self.now { self.handle(.due) }
    }

    private mutating func handle(_ event: ChatEvent) {
        for effect in self.state.handle(event, at: self.now, wall: self.now + self.wallAhead) {
            guard case .write(let line) = effect else {
                self.effects.append(effect)
                continue
            }
            guard let json = try? JSON(parsing: line.dropLast().map(\.self)) else {
                Issue.record("no JSON was written")
                continue
            }
            self.asked.append(
                (
                    json["id"]?.integerValue ?? 0, json["method"]?.stringValue ?? "",
                    json["params"] ?? .null
                ))
        }
    }

    /// Answers the first question of a method; gives its parameters.
    @discardableResult
    mutating func answer(_ method: String, _ result: JSON) -> JSON? {
        guard let place = self.asked.firstIndex(where: { $0.method == method }) else { return nil }
        let asked = self.asked.remove(at: place)
        self.give(.received(.response(RPCResponse(id: .integer(asked.id), result: result))))
        return asked.params
    }

    mutating func refuse(_ method: String, _ error: RPCError) {
        guard let place = self.asked.firstIndex(where: { $0.method == method }) else { return }
        let asked = self.asked.remove(at: place)
        self.give(.received(.response(RPCResponse(id: .integer(asked.id), error: error))))
    }

    mutating func connect(history: [JSON] = [], conversations: [JSON]? = nil) {
        self.give(.connected)
        self.answer("status", ["id": .string(Self.ada), "name": "ada"])
        self.answer("subscribe", ["subscription": 1, "cursor": .integer(self.cursor)])
        self.answer("subscribe", ["subscription": 2, "cursor": 0])
        self.answer("transfers", ["items": []])
        self.answer(
            "conversations", ["items": .array(conversations ?? [self.room(Self.ops, "ops")])])
        self.answer("history", ["messages": .array(history), "more": false])
        self.answer("members", ["items": []])
    }

    func room(_ id: String, _ name: String, unread: Int64 = 0) -> JSON {
        [
            "id": .string(id), "kind": "room", "name": .string(name), "members": 2,
            "unread": .integer(unread), "mentions": 0,
        ]
    }

    func message(
        _ id: String, _ text: String, by author: String = Client.ben, late: Bool = false,
        cursor: Int64 = 1
    ) -> JSON {
        [
            "id": .string(id), "conversation": .string(Self.ops), "author": .string(author),
            "authorName": author == Self.ada ? "ada" : "ben", "kind": "text", "text": .string(text),
            "time": "1970-01-01T00:00:00.000Z", "cursor": .integer(cursor), "late": .bool(late),
        ]
    }

    mutating func show(_ message: JSON) {
        self.cursor += 1
        self.give(
            .received(
                .notification(
                    RPCRequest(
                        method: "message",
                        params: .named([.init("subscription", 1), .init("message", message)])))))
    }

    /// Tells of a change.
    mutating func change(_ event: String, _ more: [(String, JSON)] = []) {
        self.cursor += 1
        let members = [("event", JSON.string(event)), ("cursor", .integer(self.cursor))] + more
        let change = JSON.object(members.map { .init($0.0, $0.1) })
        self.give(
            .received(
                .notification(
                    RPCRequest(
                        method: "change",
                        params: .named([.init("subscription", 1), .init("change", change)])))))
    }

    /// Lets seconds pass, in which the shell wakes the client when it wants to be woken.
    mutating func wait(_ seconds: Int64) {
        let end = self.now + seconds * 1_000
        while let due = self.state.nextDue, due <= end {
            self.now = max(self.now, due)
            self.handle(.due)
        }
        self.now = end
    }

    /// Sends a notification that is no message and no change.
    mutating func tell(_ method: String, _ members: [JSON.Member]) {
        let params = [JSON.Member("subscription", 1)] + members
        self.give(.received(.notification(RPCRequest(method: method, params: .named(params)))))
    }

    /// What was asked by a method and is not answered.
    func waiting(_ method: String) -> [JSON] {
        self.asked.filter { $0.method == method }.map(\.params)
    }

    mutating func type(_ text: String) { self.give(.keys([.text(text)])) }
    mutating func enter() { self.give(.keys([.enter])) }

    /// Types a text or a command, and sends it.
    mutating func say(_ text: String) {
        self.type(text)
        self.enter()
    }

    /// The screen as text.
    func screen() -> [String] {
        var state = self.state
        return state.frame().rows.map { $0.runs.map(\.text).joined() }
    }
}
