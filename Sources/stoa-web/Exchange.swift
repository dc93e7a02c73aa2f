import ControlAPI
import Posix
import Web

/// One request, from its head to the answer.
final class Exchange {
    enum Answer {
        case text(UInt32, String)
        case json(JSON)
        case asset(PageAsset)
        /// A file of a message, as a picture where it is one.
        case content(PipedContent, size: Int64, PictureKind?)
        /// What lies in a file without a name.
        case file(descriptor: Int32, size: UInt64)
        case upgrade(accept: String)
    }

    let route: WebRoute
    /// What has come of a body that is kept as a text.
    var body: [UInt8] = []
    var upload: (number: Int64, file: PageUploads.File)?
    /// What goes back; nil until it is known.
    var answer: Answer?
    /// Whether it was asked for already.
    var isAsked = false
    var isTooLarge = false

    init(_ route: WebRoute) { self.route = route }

    func refuse(_ refusal: WebRefusal) { self.answer = .text(refusal.status, refusal.text) }

    /// What the daemon refused, as the page shows it.
    ///
    /// - Parameter isPicture: whether it is usual that there is none, which is no error.
    func refuse(_ error: RPCError, isPicture: Bool) {
        let isMissing = [.notFound, .refused].contains(error.knownCode)
        let status: UInt32 = !isMissing ? 502 : isPicture ? 204 : 404
        self.answer = .text(status, error.message + "\n")
    }
}
