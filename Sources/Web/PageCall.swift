package import ControlAPI

/// What a page has sent on its connection.
package enum PageCall: Equatable, Sendable {
    /// A line for the daemon, with its newline.
    case daemon([UInt8])
    /// Something that this program does itself; the id is that of the request.
    case own(RPCRequestID, OwnCall)
    /// An answer at once: the call is not allowed, or is none.
    case answer([UInt8])

    package init(_ text: [UInt8]) {
        guard case .single(let call) = Incoming(parsing: text) else {
            self = .answer(
                RPCResponse(
                    error: .invalidRequest("the page sends no batches", reason: "noBatch")
                ).line)
            return
        }
        switch call {
        case .invalid(let error): self = .answer(RPCResponse(error: error).line)
        case .notification(let request):
            guard PageMethods.allowed.contains(request.method) else {
                self = .answer(RPCResponse(error: PageMethods.refusal(of: request.method)).line)
                return
            }
            // Written anew, so that a line stays one whatever white space was in it.
            self = .daemon(request.json(id: nil).bytes + [0x0A])
        case .request(let id, let request):
            if let own = OwnCall(request) {
                self = .own(id, own)
            } else if PageMethods.allowed.contains(request.method) {
                self = .daemon(request.json(id: id).bytes + [0x0A])
            } else {
                self = .answer(
                    RPCResponse(id: id, error: PageMethods.refusal(of: request.method)).line)
            }
        }
    }
}

/// What a page asks of the program behind it.
package enum OwnCall: Equatable, Sendable {
    /// Send this, once, whatever becomes of the page.
    ///
    /// - Parameters:
    ///   - upload: the number of the content of its file.
    ///   - draft: the name of the draft that it was, which is kept no more from the same moment on.
    case post(SendMethod.Params, upload: Int64?, draft: String?)
    /// Forget a text that could not be sent.
    case discard(key: String)
    /// Keep this for the next page, in the place of what has that name: a draft, or the page's settings.
    case save(name: String, String)
    /// Start the daemon.
    case start
    /// Make an upload the user's picture.
    case picture(upload: Int64)
    /// Make a backup, which the page then gets as a file.
    case backup

    /// What is said of an upload that is not here.
    package static let fileGone = RPCError.refused(
        "the content of the file is gone", reason: "fileGone", remedy: "choose the file again")

    init?(_ request: RPCRequest) {
        let json = request.params.json ?? .null
        switch request.method {
        case "web.post":
            let more = Received<Besides>(json).value
            self = .post(
                Received<SendMethod.Params>(json).value, upload: more.upload, draft: more.draft)
        case "web.picture":
            guard let upload = Received<Besides>(json).value.upload else { return nil }
            self = .picture(upload: upload)
        case "web.backup": self = .backup
        case "web.discard": self = .discard(key: Received<KeyName>(json).value.key)
        case "web.save":
            let note = Received<PageNote>(json).value
            self = .save(name: note.name, note.text)
        case "web.start": self = .start
        default: return nil
        }
    }

    /// What a page says besides what it is about.
    private struct Besides: ControlValue {
        var upload: Int64?
        var draft: String?
        mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("upload", &self.upload, .any, "")
            visitor.field("draft", &self.draft, .any, "")
        }
    }

    private struct KeyName: ControlValue {
        var key = ""
        mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("key", &self.key, .any, "")
        }
    }
}

/// What a page is told of the backup that it asked for.
package struct MadeBackup: ControlValue {
    var number: Int64 = 0
    var phrase: String?

    package init() {}

    package init(_ number: Int64, _ result: BackupMethod.Result) {
        (self.number, self.phrase) = (number, result.phrase)
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("number", &self.number, .any, "")
        visitor.field("phrase", &self.phrase, .any, "")
    }
}

/// The first message of a page: the key that it got for its token.
package struct PageKey: ControlValue {
    package var key = ""

    package init() {}

    /// Reads it; nil where it is none.
    package init?(_ text: [UInt8]) {
        guard let json = try? JSON(parsing: text, byteLimit: 4_096) else { return nil }
        self = Received<PageKey>(json).value
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("key", &self.key, .any, "")
    }
}
