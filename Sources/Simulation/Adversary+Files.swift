import Engine
import Formats
import Crypto

/// What hostile peers do about files.
extension Simulation {
    /// Keeps back what a hostile machine's node says of files, or changes it; false where it goes as it is.
    func sendOfFiles(
        _ frame: Frame, _ adversary: Adversary, _ number: Int, _ side: Int
    ) -> Bool {
        // Who asks waits in vain.
        if self.dice.filing.chance(adversary.filesKept) { return true }
        guard self.dice.filing.chance(adversary.filesChanged) else { return false }
        self.assaults.count += 1
        switch frame {
        case .blobPiece(var piece) where !piece.bytes.isEmpty:
            switch self.dice.filing.number(0...4) {
            case 0: piece.offset += 1
            case 1: piece.bytes.removeLast()
            default: piece.bytes[self.dice.filing.number(0...piece.bytes.count - 1)] ^= 1
            }
            self.inject(.blobPiece(piece), number, side)
        case .blobHoldings(var holdings):
            holdings.extent = self.dice.filing.chance(70) ? .whole : .chunks([7])
            self.inject(.blobHoldings(holdings), number, side)
        default: return false
        }
        return true
    }

    /// Gives a peer that asks what is as long as what it asks for, and wrong.
    func answerWrongly(_ frame: Frame, _ adversary: Adversary, _ number: Int, _ side: Int) {
        switch frame {
        case .blobAsk(_?, let blob):
            guard self.dice.filing.chance(adversary.filesChanged) else { return }
            self.inject(.blobHoldings(BlobHoldings(blob, .whole)), number, side)
        case .blobWant(let want):
            guard self.dice.filing.chance(adversary.filesChanged),
                let size = self.checker.files[want.blob]?.count,
                let layout = BlobLayout(size: UInt64(size)), layout.contains(want.part)
            else { return }
            self.assaults.count += 1
            let count = layout.byteCount(of: want.part)
            for offset in stride(from: 0, to: count, by: BlobPiece.byteLimit) {
                let bytes = [UInt8](
                    repeating: 7, count: min(BlobPiece.byteLimit, count - offset))
                self.inject(
                    .blobPiece(BlobPiece(number: want.number, offset: offset, bytes: bytes)),
                    number, side)
            }
        default: break
        }
    }

    /// A hostile machine asks for what it may not have, or gives what nobody wants.
    func assaultFiles(by index: Int) {
        let streams = self.streams(of: index)
        guard self.machines[index].isUp,
            let (number, side) = streams.randomElement(using: &self.dice.filing)
        else { return }
        self.assaults.count += 1
        let count = self.dice.filing.chance(15) ? self.dice.filing.number(20...120) : 1
        for _ in 0..<count { self.inject(self.fileFrame(), number, side) }
    }

    private func fileFrame() -> Frame {
        let blob = self.anyBlob()
        // Small ones may be those of questions that are open.
        let wanted = self.dice.filing.number(
            UInt64(1)...(self.dice.filing.chance(50) ? 40 : 1 << 40))
        switch self.dice.filing.number(0...7) {
        case 0...1:
            let rooms = self.checker.conversations
            return .blobAsk(rooms.randomElement(using: &self.dice.filing), blob)
        case 2: return .blobAsk(nil, blob)
        case 3...5:
            let part = BlobPart(
                level: self.dice.filing.chance(80) ? 0 : 1, index: self.dice.filing.number(0...2))
            return .blobWant(BlobWant(number: wanted, blob: blob, part: part))
        case 6:
            return .blobHoldings(
                BlobHoldings(blob, self.dice.filing.chance(50) ? .whole : .nothing))
        default:
            return .blobPiece(BlobPiece(number: wanted, offset: 0, bytes: [1, 2, 3]))
        }
    }

    /// A file of somebody, or one that there is not.
    private func anyBlob() -> BlobID {
        let known = self.checker.files.keys.sorted()
        guard self.dice.filing.chance(85), let blob = known.randomElement(using: &self.dice.filing)
        else {
            return BlobID(size: self.dice.filing.number(UInt64(0)...99), root: .zero)
        }
        return blob
    }
}

extension Frame {
    /// Whether it says what of a file is here, or gives it.
    var givesFiles: Bool {
        switch self {
        case .blobHoldings, .blobPiece, .blobUnavailable: true
        default: false
        }
    }
}
