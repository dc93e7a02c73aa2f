import Crypto
import Engine
import Formats
import Posix
import Storage
import TestSupport
import Testing

@testable import Daemon

@Suite("What is remembered of files at other sites") struct SiteJournalTests {
    private static let conversation = ConversationID(Self.bytes(1))

    private static func bytes(_ number: UInt8) -> Bytes32 {
        Bytes32([UInt8](repeating: number, count: 32)) ?? .zero
    }

    private static func file(_ number: UInt64) -> SentFile {
        let name = LogName(author: PeerID(Self.bytes(2)), incarnation: .max)
        let key = LogKey(conversation: Self.conversation, name: name)
        return SentFile(
            EntryPlace(key: key, seq: number), BlobID(Self.bytes(3)), size: 1 << 34)
    }

    @Test("is there at the next start, once, also where the last word was cut")
    func kept() throws {
        let folder = try TestFolder()
        let path = "\(folder.path)/sites.files"
        #expect(SiteJournal(reading: path).files.isEmpty)
        for number in [UInt64(1), 2, 1] { try SiteJournal.append(Self.file(number), to: path) }
        let whole = try Files.read(path, limitBytes: 1 << 20)
        try Files.writeAtomically(whole + [1, 2, 3], to: path)
        #expect(SiteJournal(reading: path).files == [Self.file(1), Self.file(2)])
        try SiteJournal.append(Self.file(3), to: path)
        let journal = SiteJournal(reading: path)
        #expect(journal.files.map(\.place.seq) == [1, 2, 3])
        #expect(journal.has(Self.file(3)) && !journal.has(Self.file(4)))
    }

    @Test("says which files a deletion concerns, and again when it is asked again")
    func gone() throws {
        let folder = try TestFolder()
        var journal = SiteJournal(reading: "\(folder.path)/sites.files")
        for number in UInt64(1)...3 { journal.noted(Self.file(number)) }
        journal.note([Self.file(2)], goneBy: 7)
        #expect(journal.gone(by: 7) == [Self.file(2)] && journal.gone(by: 8).isEmpty)
        #expect(journal.open(in: Self.conversation) == [Self.file(1), Self.file(3)])
        #expect(journal.open(in: ConversationID(Self.bytes(9))).isEmpty)
    }

    @Test("goes on from each place that a program gives back, and from the beginning for others")
    func places() {
        let place = SiteFilePlace(arrival: 77, part: 5)
        let words = place.text.split(separator: "-").map(String.init)
        #expect(SiteFilePlace(words[0], words[1]) == place)
        for (arrival, part) in [
            ("", ""), ("-1", "0"), ("1", "-1"), ("1", "zzzzzzzzzzzz"), ("é", "0"),
        ] {
            #expect(SiteFilePlace(arrival, part) == SiteFilePlace())
        }
    }
}
