internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension BlobFailure {
    /// What is wrong and what to do about it.
    var text: String {
        switch self {
        case .diskFull: "the disk is full; make room on it"
        case .quota:
            "files may take no more of the disk; delete some messages with files, or raise "
                + "FileLimit in stoad.conf"
        case .tooLarge: "it is larger than 16 GiB; send it in parts"
        case .sourceChanged: "it was changed while it was read; send it again"
        case .damaged: "its copy here is damaged; it is fetched again from whoever has it"
        case .system(let error): "\(error)"
        }
    }

    /// The same for clients.
    var rpcError: RPCError {
        switch self {
        case .diskFull:
            .refused("the disk is full", reason: "diskFull", remedy: "make room on it")
        case .quota:
            .refused(
                "files may take no more of the disk", reason: "fileQuota",
                remedy: "delete some messages with files, or raise FileLimit in stoad.conf")
        case .tooLarge:
            .refused(
                "the file is larger than 16 GiB", reason: "fileTooLarge",
                remedy: "send it in parts")
        case .sourceChanged:
            .refused(
                "the file was changed while it was read", reason: "fileChanged",
                remedy: "send it again once nobody writes to it")
        case .damaged:
            .refused(
                "the copy here is damaged", reason: "fileDamaged",
                remedy: "it is fetched again from whoever has it: see stoa transfers")
        case .system(let error):
            .refused(
                error.reason, reason: "fileFailed", remedy: error.remedy ?? "look at the file")
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
        case .gone: "its message was taken back or is not kept any longer"
        case .unavailable: "nobody who is linked has it"
        case .notPicture: "it is no PNG, JPEG or WebP"
        case .busy: "too many files are fetched; wait, or cancel some"
        }
    }

    /// The same for who waits for a picture.
    var rpcError: RPCError {
        switch self {
        case .unavailable, .gone, .cancelled:
            .refused(
                "nobody who is linked has that picture", reason: "unavailable",
                remedy: "ask again when they are linked")
        case .notPicture:
            .refused(
                "what they take for a picture is none", reason: "notPicture",
                remedy: "it was removed; ask them for another one")
        case .diskFull: BlobFailure.diskFull.rpcError
        case .quota: BlobFailure.quota.rpcError
        case .storage, .busy:
            .refused(self.text, reason: self.word, remedy: "see the log of the daemon")
        }
    }
}
