import ControlAPI

/// The command `stoa rooms`.
struct RoomsCommand: Subcommand {
    static let syntax = CommandSyntax(RoomsMethod.description, examples: ["stoa rooms"])

    init(_ arguments: ParsedArguments) {}

    func run(in context: CommandContext) throws(Failure) {
        try context.showList(
            RoomsMethod.self, empty: "no rooms yet; start one with: stoa join ROOM",
            heading: ["ROOM", "JOINED", "MEMBERS", "ANNOUNCED BY"]
        ) { room in
            let peers = room.announcedBy.count
            return [
                room.name.shown + room.looksLike.shownLikeness, room.joined ? "yes" : "no",
                "\(room.members)", peers == 1 ? "1 peer" : "\(peers) peers",
            ]
        }
    }
}
