/// Every bound of the control API, with its unit and its reason.
package enum ControlLimits {
    /// The longest line, in bytes without its newline: a thousand messages of history at about
    /// one kilobyte each, or one message of the largest size with every byte escaped.
    package static let lineBytes = 1 << 20
    /// How deeply arrays and objects may nest; the deepest object of this API needs six.
    package static let nestingDepth = 32
    /// The longest text of one number, in bytes: a double needs at most 767 digits to be exact.
    package static let numberBytes = 1_024
    /// The most elements in one batch, so that one line cannot ask for unbounded work.
    package static let batchElements = 1_000
    /// The longest text of one message, in bytes of UTF-8: it fits into one entry's inline payload
    /// of 64 KiB with room for the payload's own header.
    package static let textBytes = 65_000
    /// What one packet of an ephemeral stream carries, in bytes; the engine's limit.
    package static let streamPacketBytes = 1_024
    /// Packets of all ephemeral streams of a conversation in a second; the engine's limit.
    package static let streamPacketsPerSecond = 64
    /// Bytes of these in a second; the engine's limit.
    package static let streamBytesPerSecond = 30_000
    /// What one part of a durable stream carries, in bytes; the engine's limit.
    package static let streamPieceBytes = 49_152
    /// The longest name of a place, in bytes; the engine's limit.
    package static let labelBytes = 1_024
    /// The most bytes of what a conversation is about.
    package static let topicBytes = 256
    /// How far a place may be off, in metres; the engine's limit.
    package static let accuracyMetres: ClosedRange<Int64> = 0...20_037_508
    /// The longest sign of a reaction, in bytes; the engine's limit.
    package static let signBytes = 64
    /// The most messages that one `history` call returns.
    package static let historyMessages = 1_000
    /// How many messages `history` returns when the caller names no limit.
    package static let historyMessagesDefault = 50
    /// The most items of other sites in one call.
    package static let siteItems = 64
    /// What may be said of a problem between sites, in bytes.
    package static let siteProblemBytes = 1_024
    /// No item is larger than this, sealed, in bytes.
    package static let siteItemBytes = 262_144
    /// No part of a file is larger than this, sealed, in bytes.
    package static let sitePartBytes = 262_144 + 256
    /// No signal of presence or typing is larger than this, sealed, in bytes.
    package static let siteSignalBytes = 512
    /// The most parts of files that are wanted of other sites at once.
    package static let siteWants = 64
    /// What sealed items of one call may take together, in bytes, before base64: the line has room for them.
    package static let siteBytes = 589_824
    /// The most elements of one page of a list.
    package static let pageItems = 1_000
    /// How many elements a page of a list has when the caller names no limit.
    package static let pageItemsDefault = 100
    /// The longest place in a list, in bytes: names of consumers and ids, with room to spare.
    static let pagePlaceBytes = 1_024
    /// People who are named where a name matches several.
    package static let candidates = 32
    /// The longest wait of `send`, in milliseconds: one hour.
    package static let waitMilliseconds: Int64 = 3_600_000
    /// How long `send` waits for a delivery when the caller names no time, in milliseconds.
    package static let waitMillisecondsDefault: Int64 = 30_000
    /// The longest name of a person, in characters, each a Unicode scalar; the engine's limit.
    package static let nameCharacters = 64
    /// The longest invitation to a realm or a room, in bytes; the engine's limit.
    package static let inviteBytes = 1_024
    /// The longest text in which an invitation is looked for, in bytes: a letter.
    package static let pasteBytes = 16_384
    /// The longest name of a file, in bytes; the engine's limit.
    package static let fileNameBytes = 255
    /// The longest type of a file, in bytes; the engine's limit.
    package static let mediaTypeBytes = 127
    /// The most that is said with a file, in bytes; the engine's limit.
    package static let captionBytes = 32_768
    /// The largest picture of a person, in bytes; the engine's limit.
    package static let pictureBytes = 262_144
    /// The longest path of a file, in bytes: `PATH_MAX` of Linux without its end.
    package static let pathBytes = 4_095
    /// The longest phrase of a secret room or a backup, in bytes; the engine's limit.
    package static let phraseBytes = 200
    /// The longest status, address, key or person that a parameter may hold, in bytes.
    package static let wordBytes = 255
}
