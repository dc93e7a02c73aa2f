/// What clients of the control socket may cost.
package struct ControlBounds: Sendable {
    /// Connections at a time: every shell script of a busy user.
    package var clients = 256
    /// Bytes that wait for one client, sent or promised, before no more of its requests are read.
    ///
    /// One answer of the largest size.
    package var highWaterBytes = 1 << 20
    /// What an answer of bounded size is taken to need while it is not there yet.
    package var answerBytes = 512
    /// Requests of one batch whose answers may be large, such as `history`; the rest is refused.
    ///
    /// As many of the document of `rpc.discover` fit ``highWaterBytes``, which is a line.
    package var largeAnswersPerBatch = 4
    /// Bytes that wait for one client before it is closed.
    package var overflowBytes = 4 << 20
    /// How long a client may take none of the bytes that wait for it, before it is closed.
    package var stallMilliseconds: UInt64 = 60_000
    /// How long a client that is closed may take to read the reason.
    package var lingerMilliseconds: UInt64 = 2_000

    /// The usual bounds.
    package init() {}
}
