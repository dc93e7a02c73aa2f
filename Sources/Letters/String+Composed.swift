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

    /// The text in normalization form D.
    package var decomposedScalars: [Unicode.Scalar] { Array(self._nfd) }

    /// The text as it is searched: folded, and without accents on letters of Europe.
    package var unaccented: String {
        let folded = self.folded
        if folded.utf8.allSatisfy({ $0 < 0x80 }) { return folded }
        var scalars = String.UnicodeScalarView()
        for scalar in folded.decomposedScalars where !(0x300...0x36F).contains(scalar.value) {
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
