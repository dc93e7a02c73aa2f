// The standard library has the form for its own comparisons and does not publish it yet, and Foundation,
// which does, is several times the size of this program.
@_spi(_Unicode) internal import Swift

extension String {
    /// The text in Unicode's normalization form C, so that what looks the same has the same bytes: UAX 15.
    package var composed: String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: self._nfc)
        return String(scalars)
    }
}
