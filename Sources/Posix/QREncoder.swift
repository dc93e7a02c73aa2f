internal import Glibc

/// libqrencode, which is looked for only when a code is to be drawn: dlopen(3).
///
/// <https://fukuchi.org/works/qrencode/>
package enum QREncoder {
    /// A code: as many rows as columns, true for a dark dot.
    package struct Matrix: Hashable, Sendable {
        /// How many dots a side has.
        package let width: Int
        /// The dots, row by row.
        package let dots: [Bool]

        package init(width: Int, dots: [Bool]) {
            precondition(dots.count == width * width, "a code is square")
            self.width = width
            self.dots = dots
        }
    }

    /// Why there is no code.
    package enum Failure: Error {
        /// The library is not installed.
        case noLibrary
        /// The text has more bytes than a code holds, 2,953.
        case tooLong
    }

    /// The library's file.
    package static let library = "libqrencode.so.4"
    /// A code of version 40, the largest.
    private static let largestWidth = 177

    /// The beginning of the library's `QRcode`: version, width, and one byte for each dot.
    private struct Code {
        var version: Int32
        var width: Int32
        var data: UnsafeMutablePointer<UInt8>?
    }

    private typealias Encode =
        @convention(c) (UnsafePointer<CChar>, Int32, Int32, Int32, Int32) ->
        UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Encodes the bytes of a text in the smallest code, with the lowest error correction.
    ///
    /// C functions `QRcode_encodeString` and `QRcode_free`. The library stays loaded.
    package static func encode(_ text: String) throws(Failure) -> Matrix {
        guard let handle = dlopen(Self.library, RTLD_NOW | RTLD_LOCAL),
            let encode = dlsym(handle, "QRcode_encodeString"),
            let free = dlsym(handle, "QRcode_free")
        else { throw .noLibrary }
        // Any version, level L, mode 8 bit, upper and lower case.
        guard let found = unsafeBitCast(encode, to: Encode.self)(text, 0, 0, 2, 1) else {
            throw .tooLong
        }
        defer { unsafeBitCast(free, to: Free.self)(found) }
        let code = found.assumingMemoryBound(to: Code.self).pointee
        let width = Int(code.width)
        guard let data = code.data, (1...Self.largestWidth).contains(width) else {
            throw .noLibrary
        }
        return Matrix(
            width: width,
            dots: UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 })
    }
}
