import CSodium

/// What libFuzzer calls with each input; it ends the process where a promise is broken.
///
/// libFuzzer's own main function wants this name, though the program has one that comes first.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    SteadyRandom.restart()
    Program.runTarget(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Random numbers that every input gets alike, so that a find can be replayed.
enum SteadyRandom {
    // One thread runs the targets.
    nonisolated(unsafe) private static var state: UInt64 = 0
    // Handed to the library for good, which keeps the pointer.
    nonisolated(unsafe) private static var implementation = randombytes_implementation(
        implementation_name: { nil }, random: { UInt32(truncatingIfNeeded: SteadyRandom.next()) },
        stir: nil, uniform: nil,
        buf: { buffer, count in
            for index in 0..<count {
                buffer?.storeBytes(
                    of: UInt8(truncatingIfNeeded: SteadyRandom.next()), toByteOffset: index,
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

    static func restart() { Self.state = 0 }

    /// SplitMix64.
    private static func next() -> UInt64 {
        Self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = Self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
