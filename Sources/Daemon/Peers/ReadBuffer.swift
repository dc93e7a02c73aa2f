internal import Engine

/// Room for one read, shared by all streams and clients of a loop, which read one at a time.
///
/// A new array for each read would be filled with zeros first, which takes longer than reading a
/// short message. Who reads takes what came before anything else reads.
final class ReadBuffer {
    /// One portion of reading; level-triggered readiness brings the rest after the others' turn.
    static let byteCount = ReadPortion.most

    var bytes = [UInt8](repeating: 0, count: ReadBuffer.byteCount)
}
