import Glibc

/// An extended regular expression, as grep -E takes it: regcomp(3), regex(7).
package final class TextPattern: @unchecked Sendable {  // never changed once it is compiled
    /// Why an expression is none.
    package struct Fault: Error, Hashable, Sendable {
        /// What the system says of it.
        package let reason: String
    }

    private var compiled = regex_t()

    /// Compiles an expression.
    package init(_ text: String) throws(Fault) {
        let code = regcomp(&self.compiled, text, REG_EXTENDED | REG_NOSUB)
        guard code == 0 else {
            var message = [CChar](repeating: 0, count: 256)
            regerror(code, &self.compiled, &message, message.count)
            let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw Fault(reason: String(decoding: bytes, as: UTF8.self))
        }
    }

    deinit { regfree(&self.compiled) }

    /// Whether the expression is found somewhere in a text; of one with a U+0000, in what stands before.
    package func isFound(in text: String) -> Bool {
        regexec(&self.compiled, text, 0, nil, 0) == 0
    }
}
