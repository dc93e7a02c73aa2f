internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension BlobFailure {
    /// What is wrong and what to do about it.
    var text: String {
        switch self {
        case .diskFull: "the disk is full; free some space"
        case .quota:
            "files already take all the space they may; delete some messages with files, or raise "
                + "FileLimit in stoad.conf"
        case .tooLarge: "it is larger than 16 GiB; send it in parts"
        case .sourceChanged: "it changed while it was read; send it again"
        case .damaged: "its copy here is damaged; it is fetched again from a peer that has it"
        case .system(let error): "\(error)"
        }
    }

    /// The same for clients.
    var rpcError: RPCError {
        switch self {
        case .diskFull:
            .refused("the disk is full", reason: "diskFull", remedy: "free some space")
        case .quota:
            .refused(
                "files already take all the space they may", reason: "fileQuota",
                remedy: "delete some messages with files, or raise FileLimit in stoad.conf")
        case .tooLarge:
            .refused(
                "the file is larger than 16 GiB", reason: "fileTooLarge",
                remedy: "send it in parts")
        case .sourceChanged:
            .refused(
                "the file changed while it was read", reason: "fileChanged",
                remedy: "send it again once nobody writes to it")
        case .damaged:
            .refused(
                "the copy here is damaged", reason: "fileDamaged",
                remedy: "it is fetched again from a peer that has it: see stoa transfers")
        case .system(let error):
            .refused(
                error.reason, reason: "fileFailed", remedy: error.remedy ?? "check the file")
        }
    }
}

extension TransferFailure {
    init(_ failure: BlobFailure) {
        switch failure {
        case .diskFull: self = .diskFull
        case .quota: self = .quota
        case .tooLarge, .sourceChanged, .damaged, .system: self = .storage(failure.text)
        }
    }

    /// A stable word for programs.
    var word: String {
        switch self {
        case .diskFull: "diskFull"
        case .quota: "fileQuota"
        case .storage: "fileFailed"
        case .cancelled: "cancelled"
        case .gone: "gone"
        case .unavailable: "unavailable"
        case .notPicture: "notPicture"
        case .busy: "busy"
        }
    }

    /// What is wrong and what to do about it.
    var text: String {
        switch self {
        case .diskFull: BlobFailure.diskFull.text
        case .quota: BlobFailure.quota.text
        case .storage(let text): text
        case .cancelled: "it was cancelled"
        case .gone: "its message was deleted or has expired"
        case .unavailable: "no linked peer has it"
        case .notPicture: "it is not a PNG, JPEG or WebP"
        case .busy: "too many downloads; wait, or cancel some"
        }
    }

    /// The same for who waits for a picture.
    var rpcError: RPCError {
        switch self {
        case .unavailable, .gone, .cancelled:
            .refused(
                "no linked peer has that picture", reason: "unavailable",
                remedy: "ask again when one is linked")
        case .notPicture:
            .refused(
                "the file in their profile is not a picture", reason: "notPicture",
                remedy: "it was deleted; ask them for another one")
        case .diskFull: BlobFailure.diskFull.rpcError
        case .quota: BlobFailure.quota.rpcError
        case .storage, .busy:
            .refused(self.text, reason: self.word, remedy: "see the daemon's log")
        }
    }
}
