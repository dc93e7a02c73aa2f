package import Formats

/// What tells of a blob, and so who may have it.
package enum BlobPlace: Hashable, Sendable {
    /// A message of a conversation: those with whom that is shared.
    case conversation(ConversationID)
    /// The profile of somebody, whose picture it is: those who may see the profile.
    case profile(PeerID)

    /// Whether it is a profile.
    package var isProfile: Bool {
        if case .profile = self { true } else { false }
    }

    /// The conversation; nil for a profile.
    package var conversation: ConversationID? {
        if case .conversation(let conversation) = self { conversation } else { nil }
    }
}

/// What the shell is to do about files; their bytes are its business, and never the node's.
package enum FileTask: Hashable, Sendable {
    /// Note that a file is fetched whose turn has not come, so that the next start goes on with it.
    case note(BlobID)
    /// Make ready to store a file, or see what is there of it; answered by
    /// ``FileEvent/opened(_:_:)`` or ``FileEvent/failed(_:_:)``.
    case open(BlobID, BlobLayout)
    /// Check a part that a peer has sent, and store it where it is right; answered by
    /// ``FileEvent/stored(_:_:from:isRight:)`` or ``FileEvent/unstored(_:_:)``.
    case store(BlobID, BlobPart, [UInt8], from: LinkID)
    /// All parts are stored: keep the file; answered by ``FileEvent/finished(_:)`` or
    /// ``FileEvent/failed(_:_:)``.
    case finish(BlobID)
    /// Store no more of a file and leave what is there as it is, or remove it, whole or not.
    case close(BlobID, isRemoved: Bool)
    /// Remove a file, unless a message tells of it: no profile does any longer.
    case release(BlobID)
    /// Look whether a conversation tells of a file, and how much of it is here; answered by
    /// ``FileEvent/looked(_:_:_:)``.
    case look(LinkID, ConversationID, BlobID)
    /// Read a part to be sent; answered by ``FileEvent/read(_:number:_:)``.
    case read(LinkID, number: UInt64, BlobID, BlobPart)
    /// Tell whoever follows that a transfer has begun, gone on or ended.
    case tell(TransferReport)
}

/// What became of a ``FileTask``, or what a user wants.
package enum FileEvent: Sendable {
    /// Fetch what a message or a profile tells of, by its author where that is known; one that a user waits
    /// for goes before those that are fetched by themselves. `stored` is about how many bytes an earlier run
    /// has left, until all of them are looked at.
    case fetch(
        BlobID, BlobLayout, in: BlobPlace, by: PeerID? = nil, isAwaited: Bool, stored: UInt64 = 0)
    /// Fetch it no longer, and remove what is there of it.
    case cancel(BlobID)
    /// What of a file is here, right and checked.
    case opened(BlobID, BlobStanding)
    /// Other sites have brought a part that is lacking.
    case brought(SitePart)
    /// A part was checked, and stored where it is right.
    case stored(BlobID, BlobPart, from: LinkID, isRight: Bool)
    /// A part could not be stored.
    case unstored(BlobID, TransferFailure)
    /// A file is whole and on disk, and begins with these bytes, ``PictureType/beginningBytes`` of them
    /// where it has so many.
    case finished(BlobID, beginning: [UInt8])
    /// One that a profile names is whole and on disk from an earlier start.
    case found(BlobID, beginning: [UInt8])
    /// A file cannot be stored.
    case failed(BlobID, TransferFailure)
    /// The copy of a file turned out to be damaged or gone: what is right of it is here, and the rest is to be
    /// fetched again, by what these places say of its size. It is called so where people are told of it.
    case damaged(BlobID, [FileTold], called: String)
    /// What of a file is here; nil where the conversation does not tell of it.
    case looked(LinkID, BlobID, BlobStanding?)
    /// The bytes of a part; nil where it is not here.
    case read(LinkID, number: UInt64, [UInt8]?)
}

/// That a place tells of a file, and how large it says that it is.
package struct FileTold: Hashable, Sendable {
    package var place: BlobPlace
    /// How the file is cut.
    package var layout: BlobLayout

    package init(_ place: BlobPlace, _ layout: BlobLayout) {
        self.place = place
        self.layout = layout
    }
}

/// What of a file is on disk.
package struct BlobStanding: Hashable, Sendable {
    package var chunks: ChunkSet
    package var nodes: Set<BlobPart>

    package init(chunks: ChunkSet, nodes: Set<BlobPart> = []) {
        self.chunks = chunks
        self.nodes = nodes
    }
}

/// Why a file is not fetched.
package enum TransferFailure: Error, Hashable, Sendable {
    case diskFull
    /// Files may take no more of the disk.
    case quota
    /// The disk failed, in words.
    case storage(String)
    /// The user has stopped it.
    case cancelled
    /// Nothing tells of it any longer.
    case gone
    /// Nobody who is linked has it; said of pictures only, which are sought again later.
    case unavailable
    /// A profile names it, and it is no picture.
    case notPicture
    /// Too many wait already.
    case busy
}

/// How far a transfer is.
package struct TransferReport: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// It waits for others to end.
        case waiting
        /// Nobody who has it is linked.
        case seeking
        /// It comes.
        case fetching
        /// It is whole.
        case done
        /// It has ended.
        case failed(TransferFailure)
    }

    package var blob: BlobID
    /// What tells of it; a conversation, where one does.
    package var place: BlobPlace
    package var size: UInt64
    /// How many of them are here.
    package var stored: UInt64
    /// How many linked peers have some of it.
    package var sources: Int
    package var state: State

    package init(
        blob: BlobID, place: BlobPlace, size: UInt64, stored: UInt64, sources: Int, state: State
    ) {
        self.blob = blob
        self.place = place
        self.size = size
        self.stored = stored
        self.sources = sources
        self.state = state
    }
}
