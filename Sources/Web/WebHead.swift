/// The head of a request: method, path and headers, as the library read them.
package struct WebHead: Equatable, Sendable {
    package var method: String
    package var path: String
    /// Names and values in the order of the request; names in any case.
    package var headers: [(name: String, value: String)]

    package init(method: String, path: String, headers: [(name: String, value: String)]) {
        (self.method, self.path, self.headers) = (method, path, headers)
    }

    /// The value of a header; nil where there is none, or more than one, which no browser sends.
    package func value(_ name: String) -> String? {
        let found = self.headers.filter { $0.name.lowercased() == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// Whether there is such a header at all.
    func has(_ name: String) -> Bool { self.headers.contains { $0.name.lowercased() == name } }

    /// As many bytes as it had on the way, about.
    var bytes: Int {
        self.headers.reduce(self.method.utf8.count + self.path.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
    }

    package static func == (left: WebHead, right: WebHead) -> Bool {
        left.method == right.method && left.path == right.path
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }
}
