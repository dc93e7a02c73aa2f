import Testing

@testable import Engine
@testable import Formats

@Suite("Numbers of logs") struct LogNumbersTests {
    private static func name(_ incarnation: UInt64) -> LogName {
        LogName(author: Harness.peer(2), incarnation: incarnation)
    }

    @Test("each log has one, and one that is forgotten gives its own to the next")
    func numbers() {
        var numbers = LogNumbers()
        let first = numbers.number(of: Self.name(1))
        let second = numbers.number(of: Self.name(2))
        let again = numbers.number(of: Self.name(1))
        #expect(first != second && first == again)
        numbers.remove(Self.name(1))
        numbers.remove(Self.name(1))
        #expect(numbers[first] == nil && numbers[second] == Self.name(2))
        let third = numbers.number(of: Self.name(3))
        #expect(third == first && numbers[third] == Self.name(3) && numbers.count == 2)
    }
}
