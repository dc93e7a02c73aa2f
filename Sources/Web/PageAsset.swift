internal import CPage

/// A file of the page, compiled into the program.
package struct PageAsset: Equatable, Sendable {
    package let name: String
    private let index: Int32

    /// The file that a path names; nil where there is none.
    package init?(path: String) {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        var index: Int32 = 0
        while let found = cpage_name(index) {
            if String(cString: found) == name {
                (self.name, self.index) = (name, index)
                return
            }
            index += 1
        }
        return nil
    }

    /// Its content, in memory for as long as somebody reads it.
    package var bytes: [UInt8] {
        let size = cpage_count(self.index)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            cpage_copy(self.index, buffer.baseAddress)
            count = size
        }
    }

    package var type: String {
        switch self.name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
