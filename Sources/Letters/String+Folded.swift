extension String {
    /// The text in the one spelling in which names are compared: NFC, full case folding, NFC.
    ///
    /// The dot that `İ` leaves above an `i` is dropped, because an `i` has one anyway.
    /// `Docs/Protocol/Entries.md` section 1.
    package var folded: String {
        if self.utf8.allSatisfy({ $0 < 0x80 }) { return self.lowercased() }
        var scalars = String.UnicodeScalarView()
        for scalar in self.composed.unicodeScalars {
            for folded in scalar.folded {
                let isDotted = scalars.last == "i" || scalars.last == "j"
                if folded.value == 0x307, isDotted { continue }
                scalars.append(folded)
            }
        }
        return String(scalars).composed
    }
}

extension Unicode.Scalar {
    /// Statuses C and F of Unicode's CaseFolding.txt, of which the standard library has no table.
    ///
    /// What is made large and then small again loses all that the two cases do not share. The exceptions
    /// are the dotless `ı`, which is a letter of its own, and Cherokee, whose large letters are older.
    fileprivate var folded: String.UnicodeScalarView {
        switch self.value {
        case 0x131: String.UnicodeScalarView([self])
        case 0x13A0...0x13FD, 0xAB70...0xABBF: self.properties.uppercaseMapping.unicodeScalars
        default: self.lowered.map(\.raised).joinedScalars.map(\.lowered).joinedScalars
        }
    }

    private var lowered: String.UnicodeScalarView {
        self.properties.lowercaseMapping.unicodeScalars
    }
    private var raised: String.UnicodeScalarView { self.properties.uppercaseMapping.unicodeScalars }
}

extension [String.UnicodeScalarView] {
    fileprivate var joinedScalars: String.UnicodeScalarView {
        String.UnicodeScalarView(self.joined())
    }
}
