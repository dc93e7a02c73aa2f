internal import Glibc

/// The name of the person who runs the daemon.
enum UserName {
    /// The full name from the user database, the first field of GECOS; nil where there is none.
    ///
    /// An `&` in it stands for the login name: passwd(5). C function `getpwuid_r`.
    static var full: String? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        return buffer.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress,
                getpwuid_r(geteuid(), &entry, base, buffer.count, &result) == 0,
                let found = result, let gecos = found.pointee.pw_gecos
            else { return nil }
            let field = String(cString: gecos).prefix { $0 != "," }
            return field.isEmpty || field.contains("&") ? nil : String(field)
        }
    }
}
