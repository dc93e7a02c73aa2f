import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Sets of small numbers") struct NumberSetTests {
    @Test("hold what was put in and not taken out, as any other set")
    func model() {
        var random = SeededRandom(seed: 3)
        var (set, model): (NumberSet, Set<UInt32>) = (NumberSet(), [])
        for _ in 0..<2_000 {
            let number = UInt32.random(in: 0..<300, using: &random)
            if Bool.random(using: &random) {
                set.insert(number)
                model.insert(number)
            } else {
                let wasThere = set.remove(number)
                #expect(wasThere == (model.remove(number) != nil))
            }
            #expect(set.count == model.count && set.contains(number) == model.contains(number))
            #expect(set.first(from: number) == model.filter { $0 >= number }.min())
        }
        #expect(set.members == model.sorted())
        for number in model { set.remove(number) }
        #expect(set.isEmpty && set.members.isEmpty && set.first(from: 0) == nil)
        #expect(!set.contains(.max))
    }

    @Test("have their turns, each before any comes again")
    func turns() {
        var turns = NumberTurns()
        for number: UInt32 in [70, 3, 9] { turns.add(number) }
        let first = [turns.next(), turns.next()]
        turns.add(3)
        turns.add(9)
        let rest = [turns.next(), turns.next(), turns.next(), turns.next()]
        #expect(first == [3, 9] && rest == [70, 3, 9, nil])
    }
}
