/// Who is let in: a token that works once gives a key, and a key opens the page's connection.
///
/// Neither is ever a cookie: one for 127.0.0.1 would go to every port, a server of another user included.
package struct WebGate: Sendable {
    private struct Token: Sendable {
        var text: String
        var due: UInt64
    }

    private var tokens: [Token] = []
    private var code: (text: String, due: UInt64, tries: Int)?
    private var keys: [String] = []

    package init() {}

    /// Makes a token for one page.
    package mutating func makeToken(
        at now: UInt64, using random: inout some RandomNumberGenerator
    ) -> String {
        let token = Self.secret(using: &random)
        self.tokens.removeAll { $0.due <= now }
        if self.tokens.count >= WebLimits.tokens { self.tokens.removeFirst() }
        self.tokens.append(Token(text: token, due: now + WebLimits.tokenMilliseconds))
        return token
    }

    /// Makes a code that a person types into the page; it replaces the one before.
    package mutating func makeCode(
        at now: UInt64, using random: inout some RandomNumberGenerator
    ) -> String {
        // Without letters and digits that look alike. Ten of 32 are 50 bits, and there are few tries.
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let code = String((0..<10).map { _ in letters[Int.random(in: 0..<32, using: &random)] })
        self.code = (code, now + WebLimits.tokenMilliseconds, WebLimits.codeTries)
        return "\(code.prefix(5))-\(code.suffix(5))"
    }

    /// Takes a token or a code, which then counts no more; gives a key, or nil.
    package mutating func enter(
        _ text: String, at now: UInt64, using random: inout some RandomNumberGenerator
    ) -> String? {
        self.tokens.removeAll { $0.due <= now }
        if let place = self.tokens.firstIndex(where: { Self.isSame($0.text, text) }) {
            self.tokens.remove(at: place)
            return self.makeKey(using: &random)
        }
        guard let code = self.code, code.due > now else {
            self.code = nil
            return nil
        }
        let typed = String(text.lowercased().filter { $0 != "-" && !$0.isWhitespace })
        if Self.isSame(code.text, typed) {
            self.code = nil
            return self.makeKey(using: &random)
        }
        self.code = code.tries > 1 ? (code.text, code.due, code.tries - 1) : nil
        return nil
    }

    /// Whether a key is one of those that were given.
    package func knows(_ key: String) -> Bool {
        // All are looked at, so that the time says nothing.
        self.keys.reduce(false) { Self.isSame($1, key) || $0 }
    }

    private mutating func makeKey(using random: inout some RandomNumberGenerator) -> String {
        let key = Self.secret(using: &random)
        if self.keys.count >= WebLimits.keys { self.keys.removeFirst() }
        self.keys.append(key)
        return key
    }

    /// 256 bits in letters that a URL takes as they are.
    private static func secret(using random: inout some RandomNumberGenerator) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return String((0..<43).map { _ in letters[Int.random(in: 0..<64, using: &random)] })
    }

    /// Compares all bytes, however soon they differ.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
