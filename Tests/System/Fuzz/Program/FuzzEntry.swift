import CSodium
import TestSupport

/// What libFuzzer calls with each input; it ends the process where a promise is broken.
///
/// libFuzzer's own main function wants this name, though the program has one that comes first.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    SteadyRandom.restart()
    FuzzProgram.runTarget(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Random numbers that every input gets alike, so that a find can be replayed.
enum SteadyRandom {
    // One thread runs the targets.
    nonisolated(unsafe) private static var random = SeededRandom(seed: 0)
    // Handed to the library for good, which keeps the pointer.
    nonisolated(unsafe) private static var implementation = randombytes_implementation(
        implementation_name: { nil },
        random: { UInt32(truncatingIfNeeded: SteadyRandom.random.next()) },
        stir: nil, uniform: nil,
        buf: { buffer, count in
            for index in 0..<count {
                buffer?.storeBytes(
                    of: UInt8(truncatingIfNeeded: SteadyRandom.random.next()), toByteOffset: index,
                    as: UInt8.self)
            }
        }, close: nil)

    /// Takes the place of the system's; before the library is used.
    static func install() {
        let isSet = withUnsafeMutablePointer(to: &Self.implementation) {
            randombytes_set_implementation($0)
        }
        precondition(isSet == 0, "libsodium takes other random numbers")
    }

    static func restart() { Self.random = SeededRandom(seed: 0) }
}
