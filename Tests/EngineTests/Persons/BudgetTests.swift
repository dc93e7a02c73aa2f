import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What each tier may take") struct BudgetTests {
    private static let tiers = [Limits.ofStrangers, Limits.ofFellows, Limits.ofKnown]

    private static func row(_ what: String, _ cell: (TierBudget) -> String) -> String {
        "| \(what) | " + Self.tiers.map(cell).joined(separator: " | ") + " |"
    }

    /// A number as pages write it.
    private static func grouped(_ number: Int) -> String {
        number < 1_000
            ? "\(number)" : "\(number / 1_000),\(String("00\(number % 1_000)".suffix(3)))"
    }

    private static func mebibytes(_ bytes: UInt64) -> String {
        bytes >= UInt64(Int.max) ? "any" : "\(bytes >> 20) MiB"
    }

    @Test("is the same on the page of threats as in the code")
    func page() throws {
        let bytes = try #require(
            TestFiles.read("\(TestFiles.tests)/../Docs/Protocol/Threats.md"))
        let page = Set(
            bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
        let rows = [
            Self.row("links") { "\($0.links)" },
            Self.row("logs of each author, in a room of 1,024 or more") {
                Self.grouped($0.logsOfAuthor)
            },
            Self.row("share of the disk for messages") { "\($0.diskQuarters)/4" },
            Self.row("profiles") { Self.mebibytes(UInt64($0.profileBytes)) },
            Self.row("other records") { Self.mebibytes(UInt64($0.recordBytes)) },
            Self.row("names of rooms that the node is not in, of each peer") {
                Self.grouped($0.roomNames)
            },
            Self.row("pictures that are fetched by themselves, up to") {
                Self.mebibytes($0.pictureBytes)
            },
            Self.row("members of whom it is kept what they have of an own log") {
                $0.positions == .max ? "any" : Self.grouped($0.positions)
            },
            Self.row("marks of each member, one in") {
                Self.grouped(Int($0.markMilliseconds)) + " ms"
            },
        ]
        for row in rows { #expect(page.contains(row)) }
    }

    @Test("never grows less with trust")
    func ascending() {
        let budgets = Tier.allCases.map { Limits.budget(of: $0) }
        for (less, more) in zip(budgets, budgets.dropFirst()) {
            #expect(less.links <= more.links && less.logsOfAuthor <= more.logsOfAuthor)
            #expect(less.diskQuarters <= more.diskQuarters && less.roomNames <= more.roomNames)
            #expect(less.profileBytes <= more.profileBytes && less.recordBytes <= more.recordBytes)
            #expect(less.pictureBytes <= more.pictureBytes && less.positions <= more.positions)
            #expect(less.markMilliseconds >= more.markMilliseconds)
        }
        #expect(Limits.ofStrangers.profileBytes == Limits.ofFellows.profileBytes)
        #expect(Limits.ofStrangers.recordBytes == Limits.ofFellows.recordBytes)
    }
}
