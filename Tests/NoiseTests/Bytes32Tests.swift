import Noise
import Testing

@Suite("Bytes32")
struct Bytes32Tests {
    @Test("only exactly thirty-two bytes make one")
    func length() {
        for count in 0...70 {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect((Bytes32(bytes) != nil) == (count == 32))
            #expect((Bytes64(bytes) != nil) == (count == 64))
        }
    }
}
