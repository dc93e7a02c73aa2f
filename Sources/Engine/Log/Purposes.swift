internal import Crypto

/// One personalisation per purpose, so that no hash can stand in for another. `Docs/Protocol`.
extension BLAKE2b.Personal {
    static let entry = BLAKE2b.Personal("stoa entry")
    static let payload = BLAKE2b.Personal("stoa payload")
    static let room = BLAKE2b.Personal("stoa room")
    static let record = BLAKE2b.Personal("stoa record")
    static let digest = BLAKE2b.Personal("stoa digest")
    static let logTag = BLAKE2b.Personal("stoa log tag")
    static let headTag = BLAKE2b.Personal("stoa head tag")
    static let authorTag = BLAKE2b.Personal("stoa author tag")
}
