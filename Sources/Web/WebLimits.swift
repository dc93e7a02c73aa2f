internal import ControlAPI

/// Every bound of the page's program, with its unit.
package enum WebLimits {
    /// Pages that are open at a time: more tabs than anybody chats in.
    package static let pages = 8
    /// Connections at a time: eight pages, each with the six that a browser opens to a host, and some to spare.
    package static let connections: UInt32 = 64
    /// All headers of a request together.
    package static let headerBytes = 8_192
    /// How long they may take, and how long a connection may then wait for its next request.
    package static let headerMilliseconds: UInt64 = 10_000
    /// What the library keeps of a connection: its request, and the headers of the answer.
    package static let connectionBytes = 24_576
    /// A message of the page: what the daemon takes as a line.
    package static let messageBytes = ControlLimits.lineBytes
    /// The body of a request that is no file: a token, or a code.
    package static let tokenBytes = 256
    /// What may wait for a page before the daemon is no longer read for it.
    package static let waitingBytes = 1 << 20
    /// How long a page may take to show its key.
    package static let keyMilliseconds: UInt64 = 10_000
    /// How long a token counts: a browser that starts for the first time takes that long.
    package static let tokenMilliseconds: UInt64 = 120_000
    /// Tokens that wait, and keys that count; of more the oldest goes.
    package static let tokens = 8
    package static let keys = 32
    /// How often a code may be typed wrongly before it is void.
    package static let codeTries = 5
    /// How long the program goes on without a page.
    package static let idleMilliseconds: UInt64 = 600_000
    /// How long to wait before the daemon is looked for again: from the first to the longest wait.
    package static let retryMilliseconds: (first: UInt64, most: UInt64) = (250, 4_000)
    /// Uploads that wait to be sent.
    package static let uploads = 32
    /// How long the content of a file may stop arriving.
    package static let uploadMilliseconds: UInt64 = 60_000
    /// Texts that wait to be sent: as many as a person enters while the daemon is away.
    package static let outboxItems = 500
    /// What pages keep of drafts and settings: how many, and how much together.
    package static let notes = 1_000
    package static let keptBytes = 512 << 10
    /// The largest picture that is given to the page.
    package static let pictureBytes: Int64 = 4 << 20
    /// The largest file that is shown as a picture in the log.
    package static let inlineBytes: Int64 = 16 << 20
}
