package import Formats

extension Limits {
    /// Files that are fetched or wait for it, of all together: some megabytes.
    static let downloads = 16_384
    /// Of these, so many come at a time; as many more where somebody waits for them.
    static let activeDownloads = 8
    /// Of these, so many are open, those that nobody has among them: as many as a peer looks up at a time.
    static let openDownloads = Limits.looksPerLink
    /// Parts that one peer is asked for at a time: a megabyte keeps any LAN full.
    package static let partsPerLink = 4
    /// Parts that are asked for or on their way to the disk, of all peers: eight megabytes.
    static let partsUnderWay = 32
    /// Of these, so many are asked of people whom the user does not know: they never hold all.
    static let strangersParts = partsUnderWay / 2
    /// As many where somebody whom the user knows, or who has told of it, brings it in time: what strangers keep
    /// back is then soon asked of them.
    static let strangersPartsBeside = partsPerLink
    /// A part that is not whole by then is asked of somebody else, too, and holds no place among those under way.
    static let slowPartMilliseconds: UInt64 = 2_000
    /// One that is not whole by then is given up: 9 kB a second is the least.
    static let partMilliseconds: UInt64 = 30_000
    /// Parts that may still come after they were late, of all peers: eight megabytes.
    static let lateParts = 32
    /// When those who had nothing of a file are asked again for the first time.
    static let seekFirstMilliseconds: UInt64 = 10_000
    /// The longest time until those who had nothing of a file are asked again.
    static let seekLastMilliseconds: UInt64 = 120_000
    /// Files that one peer may have looked up for it at a time: each asks the store.
    static let looksPerLink = 32
    /// Files that one peer was told of and may fetch; it asks again for what was longer ago.
    static let offersPerLink = 256
    /// Parts that are read ahead for one peer.
    static let partsLoadedPerLink = 2
    /// Parts that are read ahead for all: four megabytes.
    static let partsLoaded = 16
    /// How often others are told how much of a file has come.
    static let holdingsMilliseconds: UInt64 = 1_000
    /// Of how many whose profiles name one picture it is looked whether a peer may see them.
    static let pictureOwners = 64
    /// How often the picture of one person is fetched at most: who changes it all the time costs little.
    static let pictureMilliseconds: UInt64 = 10_000
    /// When a picture that nobody had is sought again.
    static let pictureRetryMilliseconds: UInt64 = 600_000
}
