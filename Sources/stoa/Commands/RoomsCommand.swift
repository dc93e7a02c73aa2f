import ControlAPI

/// The command `stoa rooms`.
struct RoomsCommand: Command {
    static let syntax = CommandSyntax(
        "rooms", "Lists the rooms that you or your peers are in.")

    init(_ arguments: ParsedArguments) {}

    func run(in session: Session) throws(Failure) {
        try session.showList(
            "rooms", empty: "no rooms yet; open one: stoa join ROOM",
            heading: ["ROOM", "JOINED", "MEMBERS", "ANNOUNCED BY"]
        ) { room in
            let peers = room["announcedBy"]?.arrayValue?.count ?? 0
            return [
                room.shown("name"), room["joined"] == .bool(true) ? "yes" : "no",
                "\(room.count("members"))", peers == 1 ? "1 peer" : "\(peers) peers",
            ]
        }
    }
}
