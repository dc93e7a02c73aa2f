import Glibc
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The roster of a group")
struct RosterTests {
    /// The named cases and some random histories; `STOA_GROUP_CASES` names a file with more.
    private static var files: [String] {
        ["\(TestFiles.tests)/EngineTests/Groups/Cases.txt"]
            + [getenv("STOA_GROUP_CASES").map { String(cString: $0) }].compactMap { $0 }
    }

    @Test("is what the model says of the same acts")
    func model() throws {
        for file in Self.files {
            let bytes = try #require(TestFiles.read(file))
            let cases = try #require(GroupCase.all(in: String(decoding: bytes, as: UTF8.self)))
            try #require(cases.count >= 100)
            for one in cases {
                let roster = Roster(one.acts, places: one.places)
                #expect(GroupCase.words(of: roster) == one.outcome, "\(one.name)")
            }
        }
    }
}
