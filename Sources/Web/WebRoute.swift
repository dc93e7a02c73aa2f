/// What a request asks for, once it is known to come from the page itself.
package enum WebRoute: Equatable, Sendable {
    /// A file of the page.
    case asset(PageAsset)
    /// A token, to be exchanged for a key.
    case enter
    /// The page's connection.
    case socket(accept: String)
    /// The content of a file that will be sent.
    case upload
    /// The file of a message; as a picture, if it is one.
    case file(id: String, isPicture: Bool)
    /// The picture of a person.
    case picture(person: String)
    /// A backup that the page asked for.
    case backup(number: Int64)
    /// Nothing, and why.
    case refused(WebRefusal)

    /// Decides what becomes of a request.
    ///
    /// - Parameters:
    ///   - host: what the browser calls this program: address and port.
    ///   - gate: who has come in.
    package init(_ head: WebHead, host: String, gate: WebGate) {
        if let refusal = Self.refusal(of: head, host: host) {
            self = .refused(refusal)
            return
        }
        switch (head.method, head.path) {
        case ("POST", "/enter"): self = .enter
        case ("GET", "/ws"):
            guard let key = head.value("sec-websocket-key"),
                head.value("sec-websocket-version") == "13",
                head.value("upgrade")?.lowercased() == "websocket"
            else {
                self = .refused(.notFound)
                return
            }
            self = .socket(accept: WebSocketHandshake.accept(key))
        case ("GET", let path):
            if let asset = PageAsset(path: path) {
                self = .asset(asset)
            } else {
                self = Self.content(head, gate)
            }
        case ("POST", "/file"):
            self = Self.hasKey(head, gate) ? .upload : .refused(.noKey)
        case (let method, _) where method != "GET" && method != "POST":
            self = .refused(.badMethod)
        default: self = .refused(.notFound)
        }
    }

    private static func content(_ head: WebHead, _ gate: WebGate) -> WebRoute {
        let parts = head.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard parts.count == 2, let kind = parts.first, let id = parts.last else {
            return .refused(.notFound)
        }
        if kind == "backup", let number = Int64(id) {
            return self.hasKey(head, gate) ? .backup(number: number) : .refused(.noKey)
        }
        guard self.isID(id) else { return .refused(.notFound) }
        guard self.hasKey(head, gate) else { return .refused(.noKey) }
        switch kind {
        case "file": return .file(id: String(id), isPicture: false)
        case "image": return .file(id: String(id), isPicture: true)
        case "picture": return .picture(person: String(id))
        default: return .refused(.notFound)
        }
    }

    /// Ids are letters and digits, so nothing in a path has a meaning of its own.
    private static func isID(_ text: Substring) -> Bool {
        (8...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    private static func hasKey(_ head: WebHead, _ gate: WebGate) -> Bool {
        head.value("x-stoa-key").map(gate.knows) == true
    }

    /// Why a request is none of the page's own; nil where it is.
    private static func refusal(of head: WebHead, host: String) -> WebRefusal? {
        guard head.bytes <= WebLimits.headerBytes else { return .headTooLarge }
        // A name that leads to this address, of whoever owns the name, is another site to the browser.
        guard head.value("host") == host else { return .wrongHost }
        let changes = head.method != "GET" || head.path == "/ws"
        if changes || head.has("origin") {
            guard head.value("origin") == "http://\(host)" else { return .wrongOrigin }
        }
        guard head.has("sec-fetch-site") else { return nil }
        switch head.value("sec-fetch-site") {
        case "same-origin": return nil
        // The first page is opened by the user, by way of a file.
        case "none", "cross-site":
            let isOpened =
                head.method == "GET" && head.path == "/"
                && head.value("sec-fetch-dest") == "document"
            return isOpened ? nil : .wrongSite
        default: return .wrongSite
        }
    }
}

/// Why a request gets nothing.
package enum WebRefusal: Equatable, Sendable {
    case headTooLarge, wrongHost, wrongOrigin, wrongSite, noKey, badMethod, notFound
    case tooLarge, busy, usedToken

    package var status: UInt32 {
        switch self {
        case .headTooLarge: 431
        case .wrongHost: 421
        case .wrongOrigin, .wrongSite, .usedToken: 403
        case .noKey: 401
        case .badMethod: 405
        case .notFound: 404
        case .tooLarge: 413
        case .busy: 503
        }
    }

    package var text: String {
        switch self {
        case .headTooLarge: "the headers are too large\n"
        case .wrongHost: "this is not the address of Stoa's page\n"
        case .wrongOrigin, .wrongSite: "only Stoa's own page may ask for this\n"
        case .noKey: "this page is no longer signed in; run: stoa web\n"
        case .badMethod: "only GET and POST are served\n"
        case .notFound: "there is nothing here\n"
        case .tooLarge: "that is too large\n"
        case .busy: "too much at a time; try again\n"
        case .usedToken: "this link was used before or has expired; run: stoa web\n"
        }
    }
}
