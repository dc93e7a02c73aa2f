package import Formats

/// Which rooms bear names that look alike and are not the same: `ops` with a Cyrillic `о` is another room.
package struct RoomLooks {
    private var rooms: [String: [Room]] = [:]

    init(_ rooms: some Sequence<Room>) {
        for room in rooms {
            for key in NameLook(room.name.text).keys { self.rooms[key, default: []].append(room) }
        }
    }

    /// The other rooms of the same realm for which somebody could take a room by its name, in order.
    package func alike(_ room: Room) -> [Room] {
        let found = NameLook(room.name.text).keys.flatMap { self.rooms[$0] ?? [] }
        return Set(found).filter { $0.realm == room.realm && $0 != room }.sorted()
    }
}

extension Node {
    /// How the names of the open rooms look that are known here.
    package var roomLooks: RoomLooks { RoomLooks(self.rooms.values) }
}
