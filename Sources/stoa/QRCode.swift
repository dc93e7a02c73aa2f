import Posix

/// A QR code drawn in a terminal, two rows of dots in each line.
struct QRCode {
    private let matrix: QREncoder.Matrix

    /// Light around the code, in dots: the standard asks for four, cameras are content with two.
    private static let margin = 2

    /// Encodes a text; throws what to install where the library is missing.
    init(_ text: String) throws(Failure) {
        do throws(QREncoder.Failure) {
            self.init(try QREncoder.encode(text))
        } catch {
            switch error {
            case .noLibrary:
                throw Failure(
                    .internalError, why: "\(QREncoder.library) is not installed",
                    next: "install it (Debian: apt install libqrencode4), or leave --qr out")
            case .tooLong:
                throw Failure(
                    .badData, why: "the text does not fit in a QR code", next: "leave --qr out")
            }
        }
    }

    init(_ matrix: QREncoder.Matrix) { self.matrix = matrix }

    /// Lines of half blocks; light is drawn, so that it can be read on a dark terminal, too.
    var text: String {
        var text = ""
        let places = -Self.margin..<self.matrix.width + Self.margin
        for row in stride(from: places.lowerBound, to: places.upperBound, by: 2) {
            for column in places {
                switch (self.isLight(row, column), self.isLight(row + 1, column)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += "\n"
        }
        return text
    }

    private func isLight(_ row: Int, _ column: Int) -> Bool {
        let width = self.matrix.width
        guard (0..<width).contains(row), (0..<width).contains(column) else {
            return row < width + Self.margin
        }
        return !self.matrix.dots[row * width + column]
    }
}
