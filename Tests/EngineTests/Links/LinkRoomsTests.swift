import Testing

@testable import Engine
@testable import Formats

@Suite("The rooms that a peer announces")
struct LinkRoomsTests {
    private static func room(_ number: Int, in realm: RealmID = .open) -> Room {
        guard let name = RoomName("room-\(number)") else {
            preconditionFailure("a name of letters and digits")
        }
        return Room(name, in: realm)
    }

    // Shows: daemon.strangers
    @Test("of rooms that this node is not in, so many are remembered by name as the limit says")
    func bounded() {
        var rooms = LinkRooms()
        for number in 0..<200 { rooms.add(Self.room(number), isOwn: number == 150, limit: 64) }
        #expect(rooms.named.count == 65)
        #expect(rooms.named[Self.room(150).conversation] != nil, "one that this node is in")
        #expect(rooms.count == 200)
    }

    @Test("a room without a name is known again, so that it can be joined")
    func unnamed() {
        var rooms = LinkRooms()
        for number in 0..<100 { rooms.add(Self.room(number), isOwn: false, limit: 64) }
        #expect(rooms.contains(Self.room(99).conversation))
        #expect(!rooms.contains(Self.room(100).conversation))
        let (left, again) = (
            rooms.remove(Self.room(99).conversation), rooms.remove(Self.room(99).conversation)
        )
        #expect(left && !again)
        #expect(!rooms.contains(Self.room(99).conversation))
    }

    @Test("a room that is left makes room for the name of another")
    func left() {
        var rooms = LinkRooms()
        for number in 0..<64 { rooms.add(Self.room(number), isOwn: false, limit: 64) }
        let isGone = rooms.remove(Self.room(3).conversation)
        #expect(isGone)
        rooms.add(Self.room(64), isOwn: false, limit: 64)
        #expect(rooms.named[Self.room(64).conversation] != nil)
    }

    @Test("no more are kept than a peer may announce, and the same one counts once")
    func all() {
        var rooms = LinkRooms()
        for _ in 0..<2 {
            for number in 0..<(Limits.roomsPerPeer + 9) {
                rooms.add(Self.room(number), isOwn: false, limit: 64)
            }
        }
        #expect(rooms.count == Limits.roomsPerPeer)
    }

    @Test("the rooms of a realm go with it, those without a name too")
    func realms() {
        let other = RealmID(Harness.peer(9).key)
        var rooms = LinkRooms()
        for number in 0..<40 {
            rooms.add(Self.room(number), isOwn: false, limit: 64)
            rooms.add(Self.room(number, in: other), isOwn: false, limit: 64)
        }
        rooms.end(other)
        #expect(rooms.count == 40)
        #expect(!rooms.contains(Self.room(39, in: other).conversation))
        #expect(rooms.contains(Self.room(39).conversation))
    }
}
