/// The headers of all answers, by which the browser guards the page.
package enum WebHeaders {
    /// What every answer has.
    package static func all(host: String) -> [(String, String)] {
        [
            ("Content-Security-Policy", self.policy(host)),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Embedder-Policy", "require-corp"),
            ("Permissions-Policy", "geolocation=(), usb=(), serial=(), hid=(), payment=()"),
        ]
    }

    /// Only the page's own files run, nothing in line, and no text ever becomes markup.
    private static func policy(_ host: String) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
            + "media-src blob:; connect-src 'self' ws://\(host); base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    }

    /// What the content of a file has besides: it is never opened as a page.
    package static let file: [(String, String)] = [
        ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ("Content-Disposition", "attachment"),
    ]
}

/// The kinds of pictures that are shown in the page.
package enum PictureKind: String, Equatable, Sendable {
    case png, jpeg, webp, gif

    /// As many bytes as it takes to know.
    package static let beginningBytes = 12

    /// What the first bytes say it is; nil for all else, whatever its name or its author says.
    package init?(beginning bytes: [UInt8]) {
        func has(_ expected: [UInt8], at offset: Int = 0) -> Bool {
            bytes.dropFirst(offset).starts(with: expected)
        }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if has(Array("GIF87a".utf8)) || has(Array("GIF89a".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }

    package var type: String { "image/\(self.rawValue)" }
}
