import Testing

@testable import Web

/// Counts up, so that each text is another and a test repeats.
private struct Counting: RandomNumberGenerator {
    var state: UInt64 = 1

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1
        return self.state
    }
}

@Suite("Who is let into the page")
struct WebGateTests {
    private var gate = WebGate()
    private var random = Counting()

    @Test("a token gives a key once")
    mutating func once() throws {
        let token = self.gate.makeToken(at: 0, using: &self.random)
        let key = try #require(self.gate.enter(token, at: 1, using: &self.random))
        #expect(self.gate.knows(key))
        #expect(key != token)
        #expect(self.gate.enter(token, at: 2, using: &self.random) == nil)
    }

    @Test("a token that nobody used in its time is void")
    mutating func late() {
        let token = self.gate.makeToken(at: 0, using: &self.random)
        let due = WebLimits.tokenMilliseconds
        #expect(self.gate.enter(token, at: due, using: &self.random) == nil)
    }

    @Test(
        "neither a made-up token nor an empty one gives a key, and no key is known before one is given"
    )
    mutating func wrong() {
        let token = self.gate.makeToken(at: 0, using: &self.random)
        for text in ["", "x", String(token.dropLast()), token + "A", token.lowercased()] {
            #expect(self.gate.enter(text, at: 1, using: &self.random) == nil, "\(text)")
            #expect(!self.gate.knows(text))
        }
        #expect(!self.gate.knows(token), "a token is no key")
    }

    @Test("of many tokens the newest count, and of many keys the newest")
    mutating func bounded() throws {
        let tokens = (0..<WebLimits.tokens + 3).map { _ in
            self.gate.makeToken(at: 0, using: &self.random)
        }
        #expect(self.gate.enter(tokens[0], at: 1, using: &self.random) == nil)
        let first = try #require(self.gate.enter(tokens[5], at: 1, using: &self.random))
        for _ in 0..<WebLimits.keys {
            let token = self.gate.makeToken(at: 1, using: &self.random)
            _ = self.gate.enter(token, at: 1, using: &self.random)
        }
        #expect(!self.gate.knows(first))
    }

    @Test(
        "a code is typed with or without its dash and in any case, works once, and is void after five mistakes"
    )
    mutating func code() {
        let code = self.gate.makeCode(at: 0, using: &self.random)
        #expect(self.gate.enter(" \(code.uppercased()) ", at: 1, using: &self.random) != nil)
        #expect(self.gate.enter(code, at: 1, using: &self.random) == nil)
        let next = self.gate.makeCode(at: 0, using: &self.random)
        for _ in 0..<WebLimits.codeTries {
            #expect(self.gate.enter("wrong-wrong", at: 1, using: &self.random) == nil)
        }
        #expect(self.gate.enter(next, at: 1, using: &self.random) == nil)
    }
}
