import Testing

@testable import Web

@Suite("What a request to the page's program gets")
struct WebRouteTests {
    private static let host = "127.0.0.1:4711"
    private static let modules = [
        "main", "texts", "words", "dom", "link", "model", "list", "log", "composer", "dialogs",
        "people", "settings", "start", "finding", "files", "faces", "presence", "qr", "emoji",
    ]
    private let gate: WebGate
    private let key: String

    init() {
        var random = SystemRandomNumberGenerator()
        var gate = WebGate()
        let token = gate.makeToken(at: 0, using: &random)
        self.key = gate.enter(token, at: 0, using: &random) ?? ""
        self.gate = gate
    }

    private func route(
        _ method: String, _ path: String, _ headers: [(String, String)] = []
    ) -> WebRoute {
        let named = headers.map { (name: $0.0, value: $0.1) }
        let host = headers.contains { $0.0.lowercased() == "host" }
        return WebRoute(
            WebHead(
                method: method, path: path,
                headers: (host ? [] : [(name: "Host", value: Self.host)]) + named),
            host: Self.host, gate: self.gate)
    }

    private static let own = ("Origin", "http://127.0.0.1:4711")

    @Test("the page's files go to whoever has the right host, and nothing else is a file")
    func assets() {
        for path in ["/", "/main.js", "/page.css", "/icon.svg"] {
            guard case .asset = self.route("GET", path) else {
                Issue.record("\(path)")
                continue
            }
        }
        for path in ["/nothing", "/../etc/passwd", "/index.html/", "//main.js", "/main.js%00"] {
            #expect(self.route("GET", path) == .refused(.notFound), "\(path)")
        }
    }

    @Test(
        "a host other than the page's is refused, also one that leads to the same address",
        arguments: [
            "localhost:4711", "127.0.0.1", "127.0.0.1:4712", "evil.example:4711", "", "[::1]:4711",
        ])
    func hosts(host: String) {
        #expect(self.route("GET", "/", [("Host", host)]) == .refused(.wrongHost))
    }

    @Test("two hosts are as bad as none")
    func twoHosts() {
        let headers = [("Host", Self.host), ("Host", Self.host)]
        #expect(self.route("GET", "/", headers) == .refused(.wrongHost))
    }

    @Test(
        "what changes something needs the page's own origin",
        arguments: [
            "http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:4712", "",
        ])
    func origins(origin: String) {
        #expect(self.route("POST", "/enter", [("Origin", origin)]) == .refused(.wrongOrigin))
        #expect(self.route("GET", "/ws", [("Origin", origin)]) == .refused(.wrongOrigin))
        #expect(self.route("GET", "/main.js", [("Origin", origin)]) == .refused(.wrongOrigin))
        #expect(self.route("POST", "/enter") == .refused(.wrongOrigin))
        #expect(self.route("POST", "/enter", [Self.own]) == .enter)
    }

    @Test("another site may open the page, and ask for nothing else")
    func sites() {
        let opened = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Dest", "document")]
        guard case .asset = self.route("GET", "/", opened) else {
            Issue.record("the page is opened from a file")
            return
        }
        #expect(self.route("GET", "/main.js", opened) == .refused(.wrongSite))
        #expect(
            self.route(
                "GET", "/", [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Dest", "iframe")])
                == .refused(.wrongSite))
        for site in ["cross-site", "same-site", "none"] {
            #expect(
                self.route("POST", "/enter", [Self.own, ("Sec-Fetch-Site", site)])
                    == .refused(.wrongSite), "\(site)")
        }
        #expect(
            self.route("POST", "/enter", [Self.own, ("Sec-Fetch-Site", "same-origin")]) == .enter)
    }

    @Test("content needs the key, and an id that can be one")
    func content() {
        let id = String(repeating: "a2", count: 26)
        #expect(self.route("GET", "/file/\(id)") == .refused(.noKey))
        #expect(self.route("GET", "/file/\(id)", [("X-Stoa-Key", "wrong")]) == .refused(.noKey))
        let key = [("x-stoa-key", self.key)]
        #expect(self.route("GET", "/file/\(id)", key) == .file(id: id, isPicture: false))
        #expect(self.route("GET", "/image/\(id)", key) == .file(id: id, isPicture: true))
        #expect(self.route("GET", "/picture/\(id)", key) == .picture(person: id))
        #expect(self.route("GET", "/backup/7", key) == .backup(number: 7))
        #expect(self.route("POST", "/file", [Self.own]) == .refused(.noKey))
        #expect(self.route("POST", "/file", key + [Self.own]) == .upload)
        for path in [
            "/file/", "/file/..", "/file/a b c d e", "/file/ABCDEFGHIJ", "/file/\(id)/x",
            "/other/\(id)",
        ] {
            #expect(self.route("GET", path, key) == .refused(.notFound), "\(path)")
        }
    }

    @Test("a WebSocket is answered as RFC 6455 says, and only with its headers")
    func socket() {
        let headers = [
            Self.own, ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        #expect(
            self.route("GET", "/ws", headers)
                == .socket(accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
        for index in 1..<headers.count {
            var fewer = headers
            fewer.remove(at: index)
            #expect(self.route("GET", "/ws", fewer) == .refused(.notFound))
        }
    }

    @Test("other methods and large heads are refused")
    func limits() {
        for method in ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"] {
            #expect(self.route(method, "/", [Self.own]) == .refused(.badMethod), "\(method)")
        }
        let large = [("X-Large", String(repeating: "x", count: WebLimits.headerBytes))]
        #expect(self.route("GET", "/", large) == .refused(.headTooLarge))
    }

    @Test("every file of the page has its type, and the page names no file that is not there")
    func types() throws {
        let types = [
            "index.html": "text/html", "main.js": "text/javascript", "page.css": "text/css",
            "icon.svg": "image/svg",
        ]
        for (name, type) in types {
            let asset = try #require(PageAsset(path: "/\(name)"))
            #expect(asset.type.hasPrefix(type))
            #expect(!asset.bytes.isEmpty)
        }
        for name in Self.modules {
            let asset = try #require(PageAsset(path: "/\(name).js"), "\(name)")
            let text = String(decoding: asset.bytes, as: UTF8.self)
            for part in text.components(after: "from \"./") {
                #expect(PageAsset(path: "/" + part) != nil, "\(name): \(part)")
            }
        }
    }

    @Test("nothing in the page turns text into markup or code")
    func markup() throws {
        for name in Self.modules {
            let asset = try #require(PageAsset(path: "/\(name).js"))
            let text = String(decoding: asset.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                "DOMParser", "new Function", "srcdoc", ".cookie",
            ] {
                #expect(!text.contains(word), "\(name): \(word)")
            }
        }
    }
}

extension String {
    /// What comes between each place of a mark and the next quotation mark.
    fileprivate func components(after mark: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            rest = rest[range.upperBound...]
            found.append(String(rest.prefix { $0 != "\"" }))
        }
        return found
    }
}
