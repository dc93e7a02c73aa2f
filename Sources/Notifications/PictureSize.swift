/// How many pixels a picture has, by its header.
///
/// Some hundred kilobytes may unpack to gigabytes, in the program that shows notifications. Each format is read as far
/// as that needs: PNG, third edition, section 11.2.1; ITU T.81, B.2.2; RFC 9649, sections 2.5 to 2.7.
package struct PictureSize: Hashable, Sendable {
    /// What a notification shows: no face needs more.
    package static let mostPixels = 4_000_000

    private static let frames = Set(0xFFC0...0xFFCF).subtracting([0xFFC4, 0xFFC8, 0xFFCC])

    package let width: Int
    package let height: Int

    package var isShown: Bool {
        self.width > 0 && self.height > 0
            && !self.width.multipliedReportingOverflow(by: self.height).overflow
            && self.width * self.height <= Self.mostPixels
    }

    /// Nil for what is none of these formats, or is cut before it says.
    package init?(header bytes: [UInt8]) {
        func number(_ start: Int, _ count: Int, isLittle: Bool = false) -> Int? {
            guard start >= 0, start + count <= bytes.count else { return nil }
            let part = bytes[start..<(start + count)]
            return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) {
                $0 << 8 | Int($1)
            }
        }
        let size: (width: Int?, height: Int?)
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            size = (number(16, 4), number(20, 4))
        } else if bytes.starts(with: "RIFF".utf8) {
            switch String(decoding: bytes.dropFirst(8).prefix(8), as: UTF8.self) {
            case "WEBPVP8X":
                size = (
                    number(24, 3, isLittle: true).map { $0 + 1 },
                    number(27, 3, isLittle: true).map { $0 + 1 }
                )
            case "WEBPVP8L":
                let bits = number(21, 4, isLittle: true)
                size = (bits.map { $0 & 0x3FFF + 1 }, bits.map { $0 >> 14 & 0x3FFF + 1 })
            case "WEBPVP8 ":
                size = (
                    number(26, 2, isLittle: true).map { $0 & 0x3FFF },
                    number(28, 2, isLittle: true).map { $0 & 0x3FFF }
                )
            default: return nil
            }
        } else if bytes.starts(with: [0xFF, 0xD8]) {
            // Segments up to the one that begins the frame; C4, C8 and CC are none that does.
            var place = 2
            while let marker = number(place, 2), !Self.frames.contains(marker) {
                guard marker > 0xFF00 else { return nil }
                // Any number of FF may stand before a marker.
                guard marker != 0xFFFF else {
                    place += 1
                    continue
                }
                guard let length = number(place + 2, 2), length >= 2 else { return nil }
                place += 2 + length
            }
            size = (number(place + 7, 2), number(place + 5, 2))
        } else {
            return nil
        }
        guard let width = size.width, let height = size.height else { return nil }
        (self.width, self.height) = (width, height)
    }
}
