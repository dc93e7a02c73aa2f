internal import CPages
internal import Engine

/// Looks for the flipped bit of a frame of the write-ahead log.
///
/// SQLite's sum of a frame is linear: an upper bit of a word changes it as the same bit of many other
/// words does. Which one it was can be told where the page's earlier version is known: around the
/// flipped bit nothing else was changed. A bit is never turned on a guess.
enum FrameMending {
    enum Outcome: Hashable {
        /// No single bit makes the sum right.
        case none
        /// The frame with the bit put right.
        case one([UInt8])
        /// The frame with the bit put right, if it had been written whole: a few bytes that are
        /// missing elsewhere in it may change the sum as this bit does.
        case oneOfWhole([UInt8])
        /// One bit was flipped, but nothing tells which of several.
        case several

        /// The frame put right; nil where it is not.
        var frame: [UInt8]? {
            switch self {
            case .one(let frame), .oneOfWhole(let frame): frame
            case .none, .several: nil
            }
        }
    }

    private static let headerBytes = 24
    /// The sum covers the first eight bytes of the header, and then the page.
    private static let summedHeaderBytes = 8
    /// A row that is written changes more than a bit within so many bytes.
    private static let nearBytes = 32

    /// Looks for the bit; `earlier` gives a page as it was before, where that is known.
    ///
    /// Takes some 30 ms.
    static func find(
        _ frame: [UInt8], from start: [UInt32], to end: [UInt32], isBigEndian: Bool,
        earlier: (UInt32) throws(StoreFailure) -> [UInt8]?
    ) throws(StoreFailure) -> Outcome {
        let summed = Array(frame[..<Self.summedHeaderBytes] + frame[Self.headerBytes...])
        var bits = [UInt32](repeating: 0, count: summed.count * 8)
        let count = cpages_log_candidates(
            summed, Int32(summed.count), start, end, isBigEndian ? 1 : 0, &bits, Int32(bits.count))
        let frames = bits[..<Int(count)].lazy.map { Self.turn($0, of: frame) }
        guard let first = frames.first else { return .none }
        if count == 1, !Self.isUpper(Int(bits[0] / 8), isBigEndian) { return .one(first.frame) }
        let doubtful = count == 1 ? Outcome.oneOfWhole(first.frame) : .several
        // Another number would make it another page.
        guard frames.allSatisfy({ $0.place >= Self.headerBytes }),
            let before = try earlier(Self.number(frame)),
            before.count == frame.count - Self.headerBytes
        else { return doubtful }
        let changed = zip(frame[Self.headerBytes...], before).map { $0 ^ $1 }
        var only: [UInt8]?
        for (place, turned) in frames {
            let place = place - Self.headerBytes
            let around = max(0, place - Self.nearBytes)..<min(changed.count, place + Self.nearBytes)
            let isElsewhereAlike = around.allSatisfy { $0 == place || changed[$0] == 0 }
            let rest =
                changed[place] ^ frame[place + Self.headerBytes]
                ^ turned[place + Self.headerBytes]
            if isElsewhereAlike, rest == 0, only == nil {
                only = turned
            } else if !isElsewhereAlike || changed[place] != 0 {
                // Here it may as well have been.
                return doubtful
            }
        }
        return only.map { .one($0) } ?? doubtful
    }

    /// The first eight bytes, the page's number and the mark of a commit, with which a frame's sum
    /// would be right.
    ///
    /// There is always just one such pair; whether it can be true is for the caller to say.
    static func beginning(
        _ frame: [UInt8], from start: [UInt32], to end: [UInt32], isBigEndian: Bool
    ) -> [UInt8] {
        func word(_ place: Int) -> UInt32 {
            let word = frame[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
            return isBigEndian ? word : word.byteSwapped
        }
        // The steps of the sum, from its end backwards.
        var (first, second) = (end[0], end[1])
        for place in stride(from: frame.count - 8, through: Self.headerBytes, by: -8) {
            second = second &- word(place + 4) &- first
            first = first &- word(place) &- second
        }
        return [first &- start[0] &- start[1], second &- start[1] &- first].flatMap { word in
            withUnsafeBytes(of: isBigEndian ? word.bigEndian : word.littleEndian) { Array($0) }
        }
    }

    /// Whether a byte that is summed is the upper one of its word.
    ///
    /// It changes only the upper byte of each sum, and so in few ways, which other upper bytes that
    /// are not as they were written do as well.
    private static func isUpper(_ place: Int, _ isBigEndian: Bool) -> Bool {
        place % 4 == (isBigEndian ? 0 : 3)
    }

    /// A frame with a bit turned, and where in the frame that is.
    private static func turn(_ bit: UInt32, of frame: [UInt8]) -> (place: Int, frame: [UInt8]) {
        var place = Int(bit / 8)
        if place >= Self.summedHeaderBytes { place += Self.headerBytes - Self.summedHeaderBytes }
        var turned = frame
        turned[place] ^= 1 << UInt8(bit % 8)
        return (place, turned)
    }

    /// The number of the page that a frame holds.
    private static func number(_ frame: [UInt8]) -> UInt32 {
        frame[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
