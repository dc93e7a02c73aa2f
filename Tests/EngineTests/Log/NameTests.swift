import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats
@testable import Letters

@Suite("Names of rooms, readings of clocks, base32")
struct NameTests {
    @Test(
        "a room name is taken as it is",
        arguments: [
            "a", "ops", "caf\u{e9}-2", "\u{307e}\u{3061}_\u{663}.", "9lives", "a.b-c_d",
            "\u{5d0}\u{5d1}", String(repeating: "x", count: 64), "x\u{323}", "\u{2170}",
            String(repeating: "\u{3bb}", count: 64), "\u{b2}", "\u{2b0}", "\u{0e2b}\u{0e49}",
            "\u{645}\u{6cc}\u{200c}\u{62e}",
        ])
    func goodRooms(text: String) {
        #expect(RoomName(text)?.text == text)
    }

    @Test(
        "what is no room name is refused",
        arguments: [
            "", "-a", "_a", ".a", "-", "A", "\u{c9}t\u{e9}", "a b", "a\u{0}", "a\n", "#a", "@a",
            "a/b", "a\u{301}", "e\u{301}", "\u{1f3db}", "\u{202e}a", "a\u{200b}", "\u{2160}",
            "\u{3164}", "\u{301}a", "a-\u{338}", "a\u{20dd}", "2\u{200d}", "\u{e4}\u{200d}\u{200d}",
            "a\u{200d}",
            "\u{df}", "\u{3c2}", "\u{378}", String(repeating: "x", count: 65),
            String(repeating: "\u{20000}", count: 64),
        ])
    func badRooms(text: String) {
        #expect(RoomName(text) == nil)
    }

    @Test("what a person types is made small and loses its hash first")
    func typed() {
        #expect(RoomName(typed: "#Ops")?.text == "ops")
        #expect(RoomName(typed: "\u{c9}T\u{c9}")?.text == "\u{e9}t\u{e9}")
        #expect(
            RoomName(typed: "\u{39f}\u{394}\u{39f}\u{3a3}")?.text == "\u{3bf}\u{3b4}\u{3bf}\u{3c3}")
        #expect(RoomName(typed: "\u{17a2}\u{200b}\u{feff}")?.text == "\u{17a2}")
        #expect(RoomName(typed: "a\u{202e}b") == nil)
        #expect(RoomName(typed: "\u{3164}") == nil)
        #expect(RoomName(typed: "##ops") == nil)
        #expect(RoomName(typed: "#") == nil)
        #expect(RoomName(typed: "") == nil)
    }

    @Test("a room is one with joiners and without, and each says it as it was typed")
    func joiners() throws {
        let with = try #require(RoomName(typed: "\u{645}\u{6cc}\u{200c}\u{62e}"))
        let without = try #require(RoomName(typed: "\u{645}\u{6cc}\u{62e}"))
        #expect(with == without)
        #expect(Set([with, without]).count == 1)
        #expect(with.text.utf8.count == without.text.utf8.count + 3)
        let rooms = [with, without].map { Room($0, in: .open).conversation }
        #expect(rooms[0] == rooms[1])
        // What a joiner kept apart is one character without it.
        #expect(try #require(RoomName(typed: "\u{3b1}\u{200d}\u{301}")).key == "\u{3ac}")
    }

    @Test("a room of an earlier version keeps its name and its id")
    func stored() throws {
        let old = try #require(RoomName(stored: "stra\u{df}e"))
        #expect(old.text == "stra\u{df}e" && old.key == old.text)
        #expect(RoomName(stored: "ops") == RoomName("ops"))
        #expect(RoomName(stored: "") == nil)
    }

    @Test("folding is of one kind for every character, and twice is once")
    func folding() {
        var ages: Set<Int> = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age,
                age.major <= 15
            else { continue }
            ages.insert(age.major)
            let text = String(scalar)
            let once = text.folded
            if once.folded != once { Issue.record("U+\(String(value, radix: 16)) folds twice") }
            // Capitals and their small letters are one, but for the dotless i, which is no i.
            let raised = scalar.properties.uppercaseMapping
            if value != 0x131, raised.folded != once {
                Issue.record("U+\(String(value, radix: 16)) differs from its capital")
            }
        }
        #expect(ages.count == 15)
    }

    @Test("rooms are in the order of their bytes")
    func order() {
        let names = ["ab", "a", "b", "a.b", "\u{e9}", "z"].map { room($0) }
        #expect(names.sorted().map(\.name.text) == ["a", "a.b", "ab", "b", "z", "\u{e9}"])
    }

    @Test("a clock reading keeps 48 bits of milliseconds and counts below them")
    func hybridTime() {
        let time = HybridTime(wallMilliseconds: 1_000)
        #expect(time.rawValue == 1_000 << 16)
        #expect(time.milliseconds == 1_000)
        #expect(time.next == HybridTime(1_000 << 16 | 1))
        #expect(time.next?.milliseconds == 1_000)
        #expect(HybridTime(0xffff).next?.milliseconds == 1)
        let end = HybridTime(wallMilliseconds: .max)
        #expect(end.milliseconds == (1 << 48) - 1)
        #expect(HybridTime(.max).next == nil)
        #expect(HybridTime(1) < HybridTime(2))
        #expect(!(HybridTime(2) < HybridTime(2)))
    }

    @Test("base32 is RFC 4648's alphabet, small and without padding")
    func base32() {
        // RFC 4648 section 10.
        let vectors = [
            ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"),
            ("fooba", "mzxw6ytb"), ("foobar", "mzxw6ytboi"),
        ]
        for (plain, text) in vectors {
            #expect(Base32.encode(Array(plain.utf8)) == text)
            #expect(Base32.decode(text) == Array(plain.utf8))
        }
        var random = SeededRandom(seed: 3)
        for count in 0..<100 {
            let bytes = random.bytes(count)
            #expect(Base32.decode(Base32.encode(bytes)) == bytes)
        }
    }

    @Test(
        "base32 in another form is refused",
        arguments: ["MY", "my======", "m", "mz1", "mzx", "mz", "mzxw6y", "my ", "m\u{fd}"])
    func badBase32(text: String) {
        // "mz" and "mzx" have stray last bits or a length that no bytes have.
        #expect(Base32.decode(text) == nil)
    }

    @Test("ids are 52 characters and read back from nothing else")
    func ids() {
        let peer = PeerID(fixed32(0xff))
        #expect(peer.description.utf8.count == 52)
        #expect(PeerID(peer.description) == peer)
        #expect(peer.shortText == String(peer.description.prefix(8)))
        #expect(PeerID(String(peer.description.dropLast())) == nil)
        #expect(PeerID(peer.description + "a") == nil)
        let conversation = ConversationID(fixed32(1))
        #expect(ConversationID(conversation.description) == conversation)
        #expect(ConversationID("") == nil)
        let entry = EntryID(fixed32(2))
        #expect(EntryID(entry.description) == entry)
        #expect(EntryID("aa") == nil)
    }

    @Test("names of logs are ordered by conversation, author, incarnation")
    func logNames() {
        func key(_ room: UInt8, _ author: UInt8, _ incarnation: UInt64) -> LogKey {
            LogKey(
                conversation: ConversationID(fixed32(room)),
                name: LogName(author: PeerID(fixed32(author)), incarnation: incarnation))
        }
        let keys = [key(1, 1, 2), key(1, 1, 256), key(1, 2, 1), key(2, 1, 1)]
        #expect(keys.shuffled().sorted() == keys)
        #expect(Head.start.seq == 0)
    }
}
