package import Formats

/// Which rooms bear names that look alike and are not the same: `ops` with a Cyrillic `о` is another room.
package struct RoomLooks {
    private var rooms: [String: [Room]] = [:]
    private var keys: [Room: Set<String>] = [:]

    init(_ rooms: some Sequence<Room>) {
        for room in rooms {
            let keys = NameLook.keys(of: room.name.text)
            self.keys[room] = keys
            for key in keys { self.rooms[key, default: []].append(room) }
        }
    }

    /// The other rooms of the same realm for which somebody could take a room by its name, in order.
    package func alike(_ room: Room) -> [Room] {
        let keys = self.keys[room] ?? NameLook.keys(of: room.name.text)
        let found = keys.flatMap { self.rooms[$0] ?? [] }
        return Set(found).filter { $0.realm == room.realm && $0 != room }.sorted()
    }
}

extension Node {
    /// How the names of the open rooms look that are known here.
    package var roomLooks: RoomLooks { RoomLooks(self.rooms.values) }
}
