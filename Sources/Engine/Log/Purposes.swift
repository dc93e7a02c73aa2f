internal import Crypto

/// One personalisation per purpose, so that no hash can stand in for another. `Docs/Protocol`.
extension BLAKE2b.Personal {
    static let entry = BLAKE2b.Personal("stoa entry")
    static let payload = BLAKE2b.Personal("stoa payload")
    static let room = BLAKE2b.Personal("stoa room 2")
    static let record = BLAKE2b.Personal("stoa record")
    static let bucket = BLAKE2b.Personal("stoa bucket")
    static let logBucket = BLAKE2b.Personal("stoa log bucket")
    static let logDigest = BLAKE2b.Personal("stoa log digest")
    static let recordDigest = BLAKE2b.Personal("stoa rec digest")
    static let bucketTag = BLAKE2b.Personal("stoa bucket tag")
    static let logTag = BLAKE2b.Personal("stoa log tag")
    static let headTag = BLAKE2b.Personal("stoa head tag")
    static let authorTag = BLAKE2b.Personal("stoa author tag")
    static let person = BLAKE2b.Personal("stoa person")
    static let deviceAddress = BLAKE2b.Personal("stoa device addr")
    static let realmTag = BLAKE2b.Personal("stoa realm tag")
    static let realmKey = BLAKE2b.Personal("stoa realm psk")
    static let realmLink = BLAKE2b.Personal("stoa realm link")
    static let shareTag = BLAKE2b.Personal("stoa share tag")
    static let invitation = BLAKE2b.Personal("stoa invitation")
    static let keyID = BLAKE2b.Personal("stoa key id")
    static let directID = BLAKE2b.Personal("stoa direct id 2")
    static let directRoot = BLAKE2b.Personal("stoa direct root")
    static let secretRoom = BLAKE2b.Personal("stoa secret room")
    static let aesKey = BLAKE2b.Personal("stoa aes key")
}
