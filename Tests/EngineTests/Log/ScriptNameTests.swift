import TestSupport
import Testing

@testable import Engine
@testable import Formats
@testable import Letters

@Suite("Names in the scripts of the world")
struct ScriptNameTests {
    private static func decomposed(_ text: String) -> String {
        String(String.UnicodeScalarView(text.decomposedScalars))
    }

    @Test("name rooms, streams, realms and people, and each is one however it is typed")
    func one() throws {
        let all = ScriptName.all
        try #require(all.count >= 500)
        #expect(Set(all.map(\.script)).count >= 40)
        for each in all {
            let typed = [each.name, Self.decomposed(each.name), each.capitals, each.joined]
            let names = typed.compactMap { RoomName(typed: $0) }
            #expect(names.count == typed.count, "\(each.script): \(each.name)")
            #expect(Set(names).count == 1, "\(each.script): \(each.name)")
            let ids = names.map { Room($0, in: .open).conversation }
            #expect(Set(ids).count == 1, "\(each.script): \(each.name)")
            for name in names { #expect(RoomName(name.text)?.text == name.text, "\(each.name)") }
            // Only the joiners that were typed differ in what is shown.
            #expect(Set(names.dropLast().map { Array($0.text.utf8) }).count == 1, "\(each.name)")
            #expect(Set(typed.compactMap { StreamName(typed: $0)?.text }).count == 1)
            #expect(Set(typed.compactMap { RealmName(typed: $0) }).count == 1, "\(each.name)")
            #expect(Profile.isShort(each.name))
            #expect(Set(typed.map { $0.replacing("\u{200b}", with: "").sought }).count == 1)
        }
    }

    @Test("that look alike are one room, or each is told apart from the other")
    func looks() throws {
        let names = ScriptName.all.compactMap { RoomName(typed: $0.name) }
        let spoofs = [
            "ops", "о\u{440}s", "раураl", "paypal", "lan", "ian", "1an", "scope", "ѕсоре",
        ]
        let rooms = Set(
            (names + spoofs.compactMap { RoomName(typed: $0) }).map { Room($0, in: .open) })
        let looks = RoomLooks(rooms)
        for room in rooms {
            for other in looks.alike(room) {
                #expect(other != room)
                #expect(
                    looks.alike(other).contains(room), "\(other.name.text) and \(room.name.text)")
            }
        }
        func alike(_ text: String) throws -> [String] {
            looks.alike(Room(try #require(RoomName(typed: text)), in: .open)).map(\.name.text)
        }
        #expect(try alike("paypal") == ["раураl"])
        #expect(try alike("scope") == ["ѕсоре"])
        #expect(try alike("lan") == ["1an"])
    }
}
