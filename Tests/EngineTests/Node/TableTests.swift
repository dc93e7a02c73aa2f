import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("table")
struct TableTests {
    @Test("it holds what a dictionary holds, whatever is put in, changed and taken out")
    func likeDictionary() {
        var random = SeededRandom(seed: 7)
        var table = Table<UInt8, [Int]>()
        var dictionary: [UInt8: [Int]] = [:]
        for step in 0..<2_000 {
            let key = UInt8.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: (table[key], dictionary[key]) = ([step], [step])
            case 1: (table[key], dictionary[key]) = (nil, nil)
            default:
                table[key]?.append(step)
                dictionary[key]?.append(step)
            }
            #expect(table[key] == dictionary[key])
            #expect(table.count == dictionary.count)
        }
        #expect(Set(table.keys) == Set(dictionary.keys))
        #expect(Set(table.values) == Set(dictionary.values))
        #expect(Dictionary(uniqueKeysWithValues: table.map { ($0, $1) }) == dictionary)
    }

    @Test("what is taken out leaves room, and a change of nothing adds nothing")
    func empty() {
        var table = Table<Int, [Int]>()
        table[1]?.append(1)
        #expect(table.count == 0 && table.values.isEmpty)
        for key in 0..<100 {
            table[key] = [key]
            table[key] = nil
        }
        #expect(table.count == 0 && table.values.isEmpty && Array(table.keys).isEmpty)
        table[5] = [5]
        #expect(table[5] == [5] && table[4] == nil)
    }
}
