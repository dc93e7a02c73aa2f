/// The key derivation of the handshake, over `HMACBLAKE2b`.
///
/// Noise section 4.3, `HKDF`.
package enum HKDF {
    /// Derives two outputs of 64 bytes; both are secret, and the caller wipes or moves them.
    package static func twoOutputs(
        chainingKey: RawSpan, inputKeyMaterial: RawSpan
    ) -> (Bytes64, Bytes64) {
        var temporary = HMACBLAKE2b.authenticationCode(of: inputKeyMaterial, key: chainingKey)
        let first = self.output(1, after: nil, key: temporary)
        let second = self.output(2, after: first, key: temporary)
        temporary.wipe()
        return (first, second)
    }

    /// Derives three outputs of 64 bytes; all are secret, and the caller wipes or moves them.
    package static func threeOutputs(
        chainingKey: RawSpan, inputKeyMaterial: RawSpan
    ) -> (Bytes64, Bytes64, Bytes64) {
        var temporary = HMACBLAKE2b.authenticationCode(of: inputKeyMaterial, key: chainingKey)
        let first = self.output(1, after: nil, key: temporary)
        let second = self.output(2, after: first, key: temporary)
        let third = self.output(3, after: second, key: temporary)
        temporary.wipe()
        return (first, second, third)
    }

    private static func output(_ number: UInt8, after previous: Bytes64?, key: Bytes64) -> Bytes64 {
        key.withBytes { key in
            var code = HMACBLAKE2b(key: key)
            if let previous {
                previous.withBytes { code.update($0) }
            }
            let number: InlineArray<1, UInt8> = [number]
            code.update(number.span.bytes)
            return code.finalize()
        }
    }
}
