import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Payloads and what they say")
struct ContentTests {
    private let room = EngineTests.room("agora")
    private let salt = [UInt8](repeating: 5, count: 16)

    /// What somebody without keys reads of an entry of class 2, or another one, with this body.
    private func read(
        _ body: [UInt8], entryClass: UInt8 = 2, extensions: [UInt8] = []
    ) -> EntryReading {
        var entry = Entry(
            entryClass: entryClass, time: HybridTime(1), deps: [],
            payload: .present([0] + self.salt + body))
        entry.extensions = extensions
        let log = TestLog(signer(1), in: self.room.conversation)
        return Keyring().read(Envelope(entry, key: log.key, seq: 1, prev: nil))
    }

    private func body(_ kind: UInt64, _ fields: [(UInt64, [UInt8])]) -> [UInt8] {
        var writer = WireWriter()
        writer.varint(kind)
        for (type, value) in fields { writer.field(type, value) }
        return writer.bytes
    }

    private let text = Array("hello".utf8)
    private let instead = Array("said hello".utf8)

    private let target = EntryTarget(
        log: LogName(author: PeerID(signer(2).publicKey), incarnation: 7), seq: 3,
        id: EntryID(fixed32(3)))

    private var asides: [Content] {
        let reactions = [
            Reaction("\u{1F44D}", to: self.target),
            Reaction(String(repeating: "x", count: Limits.signBytes), to: self.target),
            Reaction("ok", to: self.target, isWithdrawn: true),
        ]
        return [.edit("hello", of: self.target)]
            + reactions.compactMap { $0.map(Content.reaction) }
    }

    private var places: [Content] {
        [
            Location(latitude: 48.137, longitude: -11.575),
            Location(latitude: -90, longitude: 180, accuracy: 0, label: "the edge"),
            Location(latitude: 0, longitude: 0, accuracy: 20_037_508),
        ].compactMap { $0.map(Content.location) }
    }

    @Test("what is written is read back, in the class of its kind only")
    func roundTrip() {
        let opening = LogOpening(certificate: testCertificate(of: signer(1)), closes: [1, 2, .max])
        let contents: [Content] =
            [
                .open(opening), .open(LogOpening(certificate: opening.certificate, closes: [])),
                .text("hello"), .text("\u{1f3db}\u{0}"),
                .text(String(repeating: "x", count: Limits.textBytes)), .join(self.room.name),
                .join(nil),
                .leave, .action("waves"),
                .reply(
                    "hello",
                    to: EntryTarget(
                        log: LogName(author: PeerID(signer(2).publicKey), incarnation: .max),
                        seq: UInt64(Int64.max) - 1, id: EntryID(fixed32(3)))),
            ] + self.asides + self.places
        var random = SeededRandom(seed: 1)
        for content in contents {
            let payload = content.payload(using: &random)
            #expect(payload != content.payload(using: &random), "the salt is fresh")
            for entryClass in 0...4 as ClosedRange<UInt8> {
                let envelope = Envelope(
                    plain: payload, entryClass: entryClass, in: self.room.conversation)
                let expected = entryClass == content.entryClass ? content : nil
                #expect(Keyring().read(envelope).content == expected)
                #expect(Keyring().read(envelope).kind == content.kind?.rawValue)
            }
        }
    }

    @Test("the kinds have the numbers of the page")
    func numbers() {
        let name = Array("agora".utf8)
        #expect(self.read([2, 1, 5] + name, entryClass: 1).content == .join(self.room.name))
        #expect(self.read([3], entryClass: 1).content == .leave)
        #expect(self.read([32, 1, 5] + self.text).content == .text("hello"))
        let numbers = EntryKind.allCases.map(\.rawValue)
        #expect(numbers == [1, 2, 3, 4, 5, 6, 7, 32, 33, 34, 35, 37, 38, 39, 64])
        #expect(self.read([33, 1, 5] + self.text).content == .action("hello"))
    }

    @Test("what this version cannot read is no content, whatever it is")
    func unreadable() {
        #expect(self.read(self.body(32, [])).content == nil, "no text")
        #expect(self.read(self.body(32, [(1, [])])).content == nil, "an empty text")
        #expect(self.read(self.body(32, [(1, [0xff])])).content == nil, "not UTF-8")
        let long = [UInt8](repeating: 0x78, count: Limits.textBytes + 1)
        #expect(self.read(self.body(32, [(1, long)])).content == nil, "too long a text")
        #expect(self.read(self.body(63, [(1, self.text)])).content == nil, "another kind")
        #expect(self.read(self.body(0, [(1, self.text)])).content == nil, "kind 0")
        #expect(self.read(self.body(.max, [])).content == nil, "the last kind")
        #expect(self.read([32, 1, 6] + self.text).content == nil, "a field that is cut short")
        #expect(self.read([32, 1, 5] + self.text + [1, 0]).content == nil, "fields that repeat")
        #expect(self.read([]).content == nil, "no kind")
        let capital = Array("Agora".utf8)
        #expect(self.read(self.body(2, [(1, capital)]), entryClass: 1).content == nil, "no name")
        let zeros = Envelope(plain: [0], entryClass: 2, in: self.room.conversation)
        #expect(Keyring().read(zeros).content == nil, "half a salt")
        let nothing = Envelope(plain: nil, entryClass: 2, in: self.room.conversation)
        #expect(Keyring().read(nothing) == EntryReading(), "no payload")
    }

    @Test("unknown even fields are skipped, odd ones and odd extensions must be known")
    func fields() {
        let even = self.body(32, [(1, self.text), (6, []), (300, [1])])
        #expect(self.read(even).content == .text("hello"))
        #expect(self.read(self.body(32, [(1, self.text), (3, [])])).content == nil)
        #expect(self.read(self.body(3, [(1, [])]), entryClass: 1).content == nil)
        #expect(self.read(even, extensions: [2, 0]).content == .text("hello"))
        #expect(self.read(even, extensions: [2, 0, 3, 0]).content == nil)
        #expect(self.read(even, extensions: [2, 0, 2, 0]).content == nil, "which does not parse")
    }

    @Test("a fallback text stands in for what cannot be read, in messages only")
    func fallback() {
        let known = self.body(32, [(1, self.text), (2, self.instead)])
        #expect(self.read(known).content == .text("hello"))
        let unknowns = [
            self.body(200, [(2, self.instead)]), self.body(2, [(2, self.instead)]),
            self.body(32, [(2, self.instead)]),
            self.body(32, [(1, self.text), (2, self.instead), (3, [])]),
        ]
        for unknown in unknowns {
            #expect(self.read(unknown).content == .fallback("said hello"))
            #expect(self.read(unknown, entryClass: 1).content != .fallback("said hello"))
            #expect(self.read(unknown, entryClass: 3).content == nil)
        }
        #expect(self.read(known, extensions: [1, 0]).content == .fallback("said hello"))
        for bad in [[], [0xff], [UInt8](repeating: 0x78, count: Limits.fallbackBytes + 1)] {
            #expect(self.read(self.body(200, [(2, bad)])).content == nil)
            #expect(
                self.read(self.body(32, [(1, self.text), (2, bad)])).content == .text("hello"))
        }
        #expect(Content.fallback("x").traits == EntryKind.text.traits)
    }

    @Test("an opening says whose log it is, where its certificate is for the log's own device")
    func openings() {
        let (own, other) = (testCertificate(of: signer(1)), testCertificate(of: signer(2)))
        let ada = PeerID(signer(1).publicKey)
        func reading(_ fields: [(UInt64, [UInt8])]) -> EntryReading {
            self.read(self.body(1, fields), entryClass: 1)
        }
        #expect(reading([(1, own.encoded)]).person(of: ada) == own.personID)
        #expect(reading([(1, other.encoded)]).person(of: ada) == nil)
        var forged = own.encoded
        forged[167] ^= 1
        #expect(reading([(1, forged)]).person(of: ada) == nil)
        #expect(self.read([3], entryClass: 1).person(of: ada) == nil)
        #expect(reading([]).content == nil)
        #expect(reading([(1, own.encoded.dropLast())]).content == nil)
        func closes(_ incarnations: [UInt64], _ rest: [UInt8] = []) -> EntryReading {
            var writer = WireWriter()
            for incarnation in incarnations { writer.u64(incarnation) }
            return reading([(1, own.encoded), (4, writer.bytes + rest)])
        }
        #expect(closes([0, 7, .max]).content?.kind == .open)
        #expect(closes(Array(1...64)).content?.kind == .open)
        #expect(closes(Array(1...65)).content == nil)
        #expect(closes([]).content == nil, "an empty field")
        #expect(closes([7, 7]).content == nil)
        #expect(closes([8, 7]).content == nil)
        #expect(closes([7], [1]).content == nil)
    }

    @Test("the certificate that an author has shown on a link holds in their log")
    func checkedOpenings() throws {
        let own = testCertificate(of: signer(1))
        let ada = PeerID(signer(1).publicKey)
        func person(_ certificate: Certificate, linked: Certificate?) -> PersonID? {
            let opening = LogOpening(certificate: certificate, closes: [])
            return CheckedOpening(opening, of: ada, linked: linked).person
        }
        #expect(person(own, linked: nil) == own.personID)
        #expect(person(own, linked: own) == own.personID)
        var bytes = own.encoded
        bytes[167] ^= 1
        let forged = try Certificate(decoding: bytes)
        #expect(person(forged, linked: own) == nil)
        #expect(person(forged, linked: nil) == nil)
        // It was checked when the link was made, and is not again.
        #expect(person(forged, linked: forged) == forged.personID)
        #expect(person(testCertificate(of: signer(2)), linked: own) == nil)
    }

    @Test("what becomes of an entry hangs on what it says, and on whether its log is somebody's")
    func verdicts() {
        let person = testCertificate(of: signer(1)).personID
        func verdict(_ content: Content?, _ person: PersonID?) -> EntryVerdict {
            EntryVerdict(of: EntryReading(content: content, kind: 5), in: person)
        }
        let text = verdict(.text("x"), person)
        #expect(text.isSeen && text.countsAsUnread && text.attendance == nil && text.kind == 5)
        #expect(verdict(.fallback("x"), person) == text)
        #expect(verdict(.join(nil), person).attendance == true)
        #expect(verdict(.leave, person).attendance == false)
        let opening = LogOpening(certificate: testCertificate(of: signer(1)), closes: [])
        #expect(!verdict(.open(opening), person).isSeen)
        for content in [Content.text("x"), .join(nil), .leave, .fallback("x"), nil] {
            let nobodys = verdict(content, nil)
            #expect(!nobodys.isSeen && !nobodys.countsAsUnread && nobodys.attendance == nil)
        }
        #expect(!verdict(nil, person).isSeen)
    }

    @Test("of joins and leaves the last in display order counts, also of one time")
    func attendance() {
        func attendance(_ time: UInt64, _ incarnation: UInt64, _ seq: UInt64) -> Attendance {
            Attendance(
                isPresent: true, time: HybridTime(time), incarnation: incarnation, seq: seq)
        }
        let ascending = [
            attendance(1, 9, 9), attendance(2, 1, 9), attendance(2, 3, 1), attendance(2, 3, 2),
        ]
        for (index, one) in ascending.enumerated() {
            #expect(one.supersedes(nil))
            for (place, other) in ascending.enumerated() {
                #expect(one.supersedes(other) == (index > place))
            }
        }
    }

    @Test("an edit and a reaction stand with their message, and do not count as unread")
    func asideVerdicts() {
        let person = testCertificate(of: signer(1)).personID
        #expect(self.asides.count == 4 && self.places.count == 3)
        for content in self.asides {
            let verdict = EntryVerdict(of: EntryReading(content: content, kind: 5), in: person)
            #expect(verdict.isSeen && !verdict.countsAsUnread)
            #expect(verdict.refersTo?.target == self.target)
            #expect(EntryVerdict(of: EntryReading(content: content), in: nil).refersTo == nil)
        }
        let place = EntryVerdict(of: EntryReading(content: self.places[0], kind: 34), in: person)
        #expect(place.countsAsUnread && place.refersTo == nil)
    }

    @Test("a place has a URI of the digits that it needs")
    func uris() {
        let uris = self.places.map { content in
            if case .location(let location) = content { location.uri } else { "" }
        }
        #expect(uris == ["geo:48.137,-11.575", "geo:-90,180;u=0", "geo:0,0;u=20037508"])
        let small = Location(latitude: -0.000_000_1, longitude: 0.5)
        #expect(small?.uri == "geo:-0.0000001,0.5")
        #expect(Location(latitude: 90.1, longitude: 0) == nil)
        #expect(Location(latitude: 0, longitude: -180.1) == nil)
        #expect(Location(latitude: .nan, longitude: 0) == nil)
        #expect(Location(latitude: 0, longitude: 0, accuracy: -1) == nil)
        #expect(Location(latitude: 0, longitude: 0, label: "") == nil)
    }

    @Test("a header is the same with and without its payload")
    func omitted() {
        let log = TestLog(signer(1), in: self.room.conversation)
        let entry = TestLog.text("hello", at: 1)
        var erased = entry
        erased.payload = entry.payload.omitted
        #expect(erased.payload.count == entry.payload.count)
        #expect(erased.payload.hash == entry.payload.hash)
        #expect(
            erased.header(key: log.key, seq: 1, prev: nil)
                == entry.header(key: log.key, seq: 1, prev: nil))
        #expect(erased.payload.omitted == erased.payload)
    }

    // Shows: shown.author
    @Test("every field of an entry and its place is in its id")
    func ids() {
        let log = TestLog(signer(1), in: self.room.conversation)
        let other = TestLog(signer(2), in: self.room.conversation)
        let again = TestLog(signer(1), incarnation: 2, in: self.room.conversation)
        let elsewhere = TestLog(signer(1), in: EngineTests.room("attic").conversation)
        let entry = TestLog.text("hello", at: 1)
        let (one, two) = (EntryID(fixed32(1)), EntryID(fixed32(2)))
        var ids = [
            entry.id(key: log.key, seq: 1, prev: nil),
            entry.id(key: other.key, seq: 1, prev: nil),
            entry.id(key: again.key, seq: 1, prev: nil),
            entry.id(key: elsewhere.key, seq: 1, prev: nil),
            entry.id(key: log.key, seq: 2, prev: one),
            entry.id(key: log.key, seq: 2, prev: two),
            entry.id(key: log.key, seq: 3, prev: one),
        ]
        func changed(_ change: (inout Entry) -> Void) {
            var copy = entry
            change(&copy)
            ids.append(copy.id(key: log.key, seq: 1, prev: nil))
        }
        changed { $0.entryClass = 9 }
        changed { $0.time = HybridTime(2) }
        changed { $0.deps = [one] }
        changed { $0.deps = [two] }
        changed { $0.deps = [one, two] }
        changed { $0.epoch = fixed32(1) }
        changed { $0.payload = .present([]) }
        changed { $0.payload = .absent(length: 3, hash: $0.payload.hash) }
        changed { $0.extensions = [2, 0] }
        #expect(Set(ids).count == ids.count)
    }

    @Test("of two records the later stands, and of two at once the one with the greater hash")
    func records() {
        let signer = signer(1)
        func record(_ time: UInt64, _ value: UInt8) -> Record {
            Record(
                kind: 1, author: PeerID(signer.publicKey), conversation: nil,
                time: HybridTime(time), value: [value], signer: signer)
        }
        #expect(record(2, 0).supersedes(record(1, 0)))
        #expect(!record(1, 0).supersedes(record(2, 0)))
        let (one, two) = (record(1, 1), record(1, 2))
        #expect(one.supersedes(two) == (one.hash > two.hash))
        #expect(two.supersedes(one) != one.supersedes(two))
        #expect(!one.supersedes(one))
    }
}
