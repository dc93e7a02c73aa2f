extension String {
    /// The text as it is looked for: in no matter which case, form of accents, or joiners.
    package var sought: String {
        if self.utf8.allSatisfy({ $0 < 0x80 }) { return self.folded }
        let bare = self.unicodeScalars.filter { $0.value != 0x200C && $0.value != 0x200D }
        return String(bare).folded
    }
}

extension StringProtocol {
    /// Whether the text goes on from a beginning that may end within a character: of हिन्दी, `हिन` is one.
    package func begins(with beginning: some StringProtocol) -> Bool {
        self.unicodeScalars.starts(with: beginning.unicodeScalars)
    }

    /// Whether somebody who types the text may have come so far: of é, to `e`, and of 한, to `ㅎ`.
    package func completes(_ beginning: some StringProtocol) -> Bool {
        String(self).decomposedScalars.starts(with: String(beginning).decomposedScalars)
    }
}
