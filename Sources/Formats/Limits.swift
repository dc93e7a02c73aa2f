/// The bounds that every implementation shares: their names, units and reasons.
///
/// `Docs/Protocol` states them. Those that a node chooses for itself are in `Engine`.
package enum Limits {
    /// The largest payload inside an entry; larger content belongs in a blob.
    package static let payloadBytes = 65_536
    /// The largest padded body: with what either suite puts around it, a payload.
    package static let paddedBodyBytes = payloadBytes - 64
    /// The largest message text: a padded body less its fields, rounded down to a number people
    /// remember.
    package static let textBytes = 65_000
    /// The sign of a reaction: a family of four with all their skin tones, or a short word.
    package static let signBytes = 64
    /// What a conversation is about is a line or two.
    package static let topicBytes = 256
    /// The label of a location is a line.
    package static let labelBytes = 1_024
    /// The name of a file: the longest that Linux takes.
    package static let fileNameBytes = 255
    /// What a file holds, as in `image/png`: RFC 6838 section 4.2.
    package static let mediaTypeBytes = 127
    /// What is said with a file: with its name, its type and a preview it fits an entry.
    package static let captionBytes = 32_768
    /// A small picture of a file.
    package static let previewBytes = 16_384
    /// A sentence or two for readers that are too old for the body.
    package static let fallbackBytes = 4_096
    /// Sixteen heads are more than live chat ever has; leaving out the rest only under-reports causality.
    package static let depCount = 16
    /// Room for a handful of small extensions without making the header the larger part of an entry.
    package static let extensionBytes = 1_024
    /// One signature is checked per run: 128 hashes cost about what one verification does.
    package static let runEntries = 128
    /// Two runs are the initial credit, so a run bounds what a peer may make us hold.
    package static let runEntryBytes = 131_072
    /// What a payload counts at least in a run: its hash may come to stand in its place, and that must
    /// not make the run too large.
    package static let payloadHashBytes = 32
    /// Characters of a name, each a Unicode scalar: names are shown in one line of a terminal.
    package static let nameCharacters = 64
    /// Bytes of a name: what the longest one has in scripts of four bytes a letter, and in one byte of length.
    package static let nameBytes = 255
    /// Realms with a secret that a node may be in: each is a tag more on each link, and a try more for
    /// who dials.
    package static let realms = 8
    /// How many tags stand in a frame `realms`: two for each realm and one for the open one fit.
    package static let realmTagCounts = [8, 16, 32]
    /// How many tags stand in a frame `shares`: as many as a node may have conversations fit.
    package static let shareTagCounts = [16, 64, 256, 1_024, 4_096]
    /// Characters of a realm's name, which stands before that of a room, in `office/ops`.
    package static let realmNameCharacters = 32
    /// A status is a sentence, not a message.
    package static let statusBytes = 256
    /// A record is a small value by definition.
    package static let recordValueBytes = 4_096
    /// A whole record: its value, its key and its signature.
    package static let recordBytes = recordValueBytes + 256
    /// What keeping a record takes in memory besides its value, with its key in a table.
    package static let recordOverheadBytes = 512
    /// A live entry waits behind at most one such message: 0.13 ms at 1 Gb/s.
    package static let plaintextBytes = 16_384
    /// A fork proof is two runs of headers; nothing legitimate is larger.
    package static let frameBytes = 300_000
    /// Control frames are small so that they can never be held back.
    package static let controlFrameBytes = 4_096
    /// Secrets that a dial may try on one stream: two of each of eight realms, and the open realm.
    package static let handshakeAttempts = 17
    /// Payload 1 has room for a post-quantum key exchange; seventeen of them fit ``handshakeBytes``.
    package static let openingPayloadBytes = 2_048
    /// What is in it, less a length.
    package static let openingAreaBytes = 2_045
    /// The introduction's area is a few bytes today.
    package static let introductionAreaBytes = 1_024
    /// 256 optional parts of the protocol.
    package static let featureBytes = 32
    /// Entries one want may ask for: 32 full runs.
    package static let wantEntries: UInt64 = 4_096
    /// Entries that one `erase` names.
    package static let eraseTargets = 64
    /// Payloads in one answer: as many as a run has entries.
    package static let payloadItems = runEntries
    /// People whom the user may know: many times what one network has.
    package static let people = 4_096
    package static let roomsPerFrame = 1_024
    /// Own logs that the first entry of another one closes, the newest of them: each closes those
    /// before it, and its header stays small.
    package static let closedLogs = 64
    /// Logs per conversation: bounds what a clock and a digest cost.
    package static let logsPerConversation = 8_192
    /// Records in one frame: with the largest values they just fit.
    package static let recordsPerFrame = 64
    /// Records that one record clock tells of.
    package static let recordRows = 8_192
    /// The largest run in a frame: its entries and what stands around them.
    package static let runFrameBytes = runEntryBytes + 512
    /// Logs of which one mark tells, those first that were written last: with their names and with those
    /// of members they fit a record, also sealed.
    package static let markRows = 80
    /// Members who are told of each other's marks; in larger rooms only of those of whom they know, and else only links
    /// tell what was received.
    package static let markMembers = 64
    /// Address records that one frame says to be at hand: more than a node keeps.
    package static let heldAddresses = 256
    /// Address records in one frame.
    package static let addressesPerFrame = 16
    /// The value of an address record, with some room for fields that are not known yet.
    package static let addressValueBytes = 256
    /// Addresses tried per target: hosts with more have mostly virtual interfaces.
    package static let addressesPerTarget = 8
    /// The longest address of a peer that is kept: the longest host name, with a port.
    package static let addressBytes = 320
    /// Rooms a node may be in.
    package static let conversations = 4_096
    /// Ephemeral frames fit one datagram, should they ever travel so.
    package static let ephemeralFrameBytes = 1_472
    /// What one ephemeral frame carries: a packet of a stream, its name and what seals them.
    package static let ephemeralBytes = 1_408
    /// What one entry of a durable stream carries: with what seals and names it, it fits one.
    package static let streamPieceBytes = 49_152
    package static let streamPacketBytes = 1_024
    /// The largest picture of a person: one chunk, so that it comes at once or not at all.
    package static let pictureBytes = BlobLayout.chunkBytes
    /// Acts that one act follows: more heads are tied first.
    package static let actBasis = 64
    /// What an act says, without its basis: the positions in a removal and the name of a group fit.
    package static let actFieldBytes = 512
    /// A whole act: with the longest basis and fields, rounded up.
    package static let actBytes = 2_900
    /// Heads of acts that the maker of a group's key names.
    package static let epochBasis = 60
    /// Acts, keys and sealed keys in one frame.
    package static let groupFrameItems = 64
    /// The acts of one frame, so that it holds up what waits behind it no longer than half a run does.
    package static let actsFrameBytes = 65_536
    /// A piece of what a new device is handed: a frame of its channel is never cut.
    package static let handOverPieceBytes = 16_000
    /// People whom somebody calls at once.
    package static let calledPeople = 64
    /// What of a set one's devices tell each other.
    package static let ownItemBytes = 512
    /// What they say of it: the secrets of a realm with its name, or a profile.
    package static let ownValueBytes = 4_096
    /// Entries that one of them replaces.
    package static let ownReplaced = 64
    /// Logs whose end a removal names, those that were written last: one for each device that people may have.
    package static let removedLogs = 8
}
