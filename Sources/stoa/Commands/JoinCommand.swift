import ControlAPI

/// The command `stoa join`.
struct JoinCommand: Subcommand {
    static let syntax = CommandSyntax(JoinMethod.description, operands: ["ROOM"])

    private let params: JoinMethod.Params

    /// How often and how long to wait for members that linked peers know of: a second in all.
    private static let looks = (count: 10, pauseMilliseconds: Int32(100))

    init(_ arguments: ParsedArguments) {
        self.params = JoinMethod.Params { $0.room = arguments.required(0) }
    }

    func run(in context: CommandContext) throws(Failure) {
        try context.show(JoinMethod.self, self.params) { room throws(Failure) in
            let name = room.shown("name")
            switch try self.members(room, context) {
            case 0, 1: return "you are in \(name); no other members are known yet\n"
            case 2: return "you are in \(name) with 1 other member\n"
            case let count: return "you are in \(name) with \(count - 1) other members\n"
            }
        }
    }

    /// Who is in a room comes with its history, which takes a moment where there are links.
    private func members(_ room: JSON, _ context: CommandContext) throws(Failure) -> Int {
        var count = room.list("members").count
        guard count <= 1, try context.call(StatusMethod.self).count("links") > 0 else {
            return count
        }
        for _ in 0..<Self.looks.count where count <= 1 {
            _ = try PollWait.until(
                readable: [], millisecondsAtMost: Self.looks.pauseMilliseconds)
            let rooms = try context.call(RoomsMethod.self).arrayValue ?? []
            count = Int(rooms.first { $0["id"] == room["id"] }?.count("members") ?? 1)
        }
        return count
    }
}

extension JoinMethod: CommandMethod {
    static var command: any Subcommand.Type { JoinCommand.self }
}
