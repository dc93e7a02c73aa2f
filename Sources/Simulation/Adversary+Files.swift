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
        if self.filing.chance(adversary.filesKept) { return true }
        guard self.filing.chance(adversary.filesChanged) else { return false }
        self.assaultCount += 1
        switch frame {
        case .blobPiece(var piece) where !piece.bytes.isEmpty:
            switch self.filing.number(0...4) {
            case 0: piece.offset += 1
            case 1: piece.bytes.removeLast()
            default: piece.bytes[self.filing.number(0...piece.bytes.count - 1)] ^= 1
            }
            self.inject(.blobPiece(piece), number, side)
        case .blobHoldings(var holdings):
            holdings.extent = self.filing.chance(70) ? .whole : .chunks([7])
            self.inject(.blobHoldings(holdings), number, side)
        default: return false
        }
        return true
    }

    /// Gives a peer that asks what is as long as what it asks for, and wrong.
    func answerWrongly(_ frame: Frame, _ adversary: Adversary, _ number: Int, _ side: Int) {
        switch frame {
        case .blobAsk(_?, let blob):
            guard self.filing.chance(adversary.filesChanged) else { return }
            self.inject(.blobHoldings(BlobHoldings(blob, .whole)), number, side)
        case .blobWant(let want):
            guard self.filing.chance(adversary.filesChanged),
                let size = self.checker.files[want.blob]?.count,
                let layout = BlobLayout(size: UInt64(size)), layout.contains(want.part)
            else { return }
            self.assaultCount += 1
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
            let (number, side) = streams.randomElement(using: &self.filing)
        else { return }
        self.assaultCount += 1
        let count = self.filing.chance(15) ? self.filing.number(20...120) : 1
        for _ in 0..<count { self.inject(self.fileFrame(), number, side) }
    }

    private func fileFrame() -> Frame {
        let blob = self.anyBlob()
        // Small ones may be those of questions that are open.
        let wanted = self.filing.number(UInt64(1)...(self.filing.chance(50) ? 40 : 1 << 40))
        switch self.filing.number(0...7) {
        case 0...1:
            let rooms = self.checker.conversations
            return .blobAsk(rooms.randomElement(using: &self.filing), blob)
        case 2: return .blobAsk(nil, blob)
        case 3...5:
            let part = BlobPart(
                level: self.filing.chance(80) ? 0 : 1, index: self.filing.number(0...2))
            return .blobWant(BlobWant(number: wanted, blob: blob, part: part))
        case 6:
            return .blobHoldings(BlobHoldings(blob, self.filing.chance(50) ? .whole : .nothing))
        default:
            return .blobPiece(BlobPiece(number: wanted, offset: 0, bytes: [1, 2, 3]))
        }
    }

    /// A file of somebody, or one that there is not.
    private func anyBlob() -> BlobID {
        let known = self.checker.files.keys.sorted()
        guard self.filing.chance(85), let blob = known.randomElement(using: &self.filing) else {
            return BlobID(size: self.filing.number(UInt64(0)...99), root: .zero)
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
