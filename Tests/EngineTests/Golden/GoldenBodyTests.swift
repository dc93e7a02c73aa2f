import Crypto
import Testing

@testable import Engine
@testable import Formats

/// What the golden vectors say can be read of entries and records, and what cannot.
@Suite("The golden vectors of bodies, seals and records")
struct GoldenBodyTests {
    private static let story = GoldenStory()
    private static let instead = Content.fallback("from a later version")

    /// Lines with a prefix, by what follows it.
    private func lines(_ prefix: String) throws -> [Substring: [UInt8]] {
        var found: [Substring: [UInt8]] = [:]
        for (name, bytes) in GoldenFile.lines where name.hasPrefix(prefix) {
            found[name.dropFirst(prefix.count)] = bytes
        }
        try #require(!found.isEmpty, "the file is missing or is not well formed")
        return found
    }

    /// What is read of a line of class and body.
    private func content(_ line: [UInt8]) throws -> Content? {
        let entryClass = try #require(line.first)
        guard let body = try? Body(decoding: line, from: 1) else { return nil }
        return Content(body, in: entryClass, isUnderstood: true)
    }

    @Test("bodies are read as the page says, and those that have one form are written so")
    func bodies() throws {
        for (name, line) in try self.lines("body.") {
            let content = try #require(try self.content(line), "body.\(name)")
            #expect(content != Self.instead, "body.\(name)")
            let isPlain = !name.contains("unknown") && !name.lowercased().contains("fallback")
            if isPlain {
                #expect([content.entryClass] + content.body == line, "body.\(name)")
            }
            if name == "epoch" {
                let story = Self.story
                #expect(
                    content
                        == .epoch(
                            EpochAnnouncement(
                                of: fixed32(0x5e), in: story.agora.conversation,
                                by: PeerID(story.ada.publicKey), basis: [ActID(fixed32(1))],
                                people: [
                                    story.certificateOfAda.personID,
                                    story.certificateOfBea.personID,
                                ])))
            }
            guard case .open(let opening) = content else { continue }
            #expect(opening.certificate == Self.story.certificateOfAda)
            let expected: [Substring: [UInt64]] = [
                "open.closed": [1, .max], "open.closed64": Array(0..<64),
            ]
            #expect(opening.closes == expected[name] ?? [], "body.\(name)")
        }
        for (name, line) in try self.lines("fallback.") {
            #expect(try self.content(line) == Self.instead, "fallback.\(name)")
        }
        for (name, line) in try self.lines("refuse.body.") {
            #expect(try self.content(line) == nil, "refuse.body.\(name)")
            if name.hasPrefix("shape.") {
                #expect((try? Body(decoding: line, from: 1)) == nil, "refuse.body.\(name)")
            }
        }
    }

    @Test("what is unknown in a log is shown by its fallback text, or not at all")
    func unknown() throws {
        let run = Self.story.run("unknown")
        let contents = run.ids.indices.map { Keyring().read(run.envelope(at: $0)).content }
        #expect(
            contents == [
                nil, Self.instead, Self.instead, .text("even fields"), Self.instead, nil, nil, nil,
            ])
    }

    @Test("an erase names its targets in its body, and in clear those of its own device")
    func erasing() throws {
        let place = Self.story.place("x2")
        let envelope = Envelope(place.entry, key: place.log.key, seq: 2, prev: place.prev)
        #expect(Keyring().read(envelope).content == .erase(Self.story.erased))
        let ada = PeerID(Self.story.ada.publicKey)
        #expect(
            EntryTarget.inExtensions(place.entry.extensions, by: ada)
                == Self.story.erased.filter { $0.log.author == ada })
        #expect(Self.story.erased.contains { $0.log.author != ada })
    }

    @Test("seals are opened with their key and for their place, forged ones are not")
    func seals() throws {
        let run = Self.story.run("sealed")
        var keyring = Keyring()
        keyring.use(Self.story.sealKey(.xchacha20Poly1305))
        let contents = run.ids.indices.map { keyring.read(run.envelope(at: $0)).content }
        let said = Content.text("behind a seal")
        let long = Content.text(String(repeating: "y", count: 1_000))
        #expect(contents == [said, said, long, said])
        #expect(run.ids.indices.allSatisfy { Keyring().read(run.envelope(at: $0)).isLocked })
        let place = Self.story.place("s2")
        for (name, payload) in try self.lines("refuse.seal.") {
            var entry = place.entry
            entry.payload = .present(payload)
            let envelope = Envelope(entry, key: place.log.key, seq: place.seq, prev: place.prev)
            #expect(keyring.read(envelope).content == nil, "refuse.seal.\(name)")
        }
    }

    @Test("records of known kinds that are not as they must be are read, and ignored")
    func records() throws {
        for (name, bytes) in try self.lines("ignore.record.") {
            let record = try Record(decoding: bytes)
            #expect(record.isValid && !record.isUsable, "ignore.record.\(name)")
        }
        for record in Self.story.records.values { #expect(record.isUsable) }
        let unknown = Self.story.record("unknownField")
        #expect(unknown.profile == Self.story.record("bea").profile)
        #expect(Self.story.record("nameless").profile == Profile(name: "", status: ""))
    }
}
