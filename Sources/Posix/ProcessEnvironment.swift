import CLinux
import Glibc

/// What the process was started with and by whom.
package enum ProcessEnvironment {
    /// The folder that the process is in; getcwd(3).
    package static func currentDirectory() throws(SystemError) -> String {
        guard let path = getcwd(nil, 0) else { throw SystemError(errno, "getcwd") }
        defer { free(path) }
        return String(cString: path)
    }

    /// A copy of all environment variables; call it before other threads change them: environ(7).
    package static func variables() -> [String: String] {
        var found: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                found[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return found
    }

    /// One environment variable, or nil when it is not set: getenv(3).
    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Sets a variable, for a program that this one becomes; call it while no other thread reads any: setenv(3).
    package static func set(_ name: String, _ value: String) { setenv(name, value, 1) }

    /// One environment variable, which is removed; call it before other threads start.
    package static func take(_ name: String) -> String? {
        defer { unsetenv(name) }
        return self.variable(name)
    }

    /// Lets nobody else read the memory of this process, and writes none of it into a core dump:
    /// `PR_SET_DUMPABLE`, prctl(2).
    package static func forbidDumps() { clinux_forbid_dumps() }

    /// Lets all threads share one heap: one each would keep what it once needed; mallopt(3).
    ///
    /// Of what is free it keeps 2 MiB, for the parts of files. Call it before other threads start.
    package static func useOneHeap() { _ = clinux_use_one_heap() }

    /// Gives back the memory of code and constants that were needed so far; what is needed again
    /// comes back by itself, from the system's cache of the file.
    ///
    /// For when a start has settled, which goes through code that never runs again; so only the first call
    /// does anything. madvise(2).
    package static func releaseCode() { clinux_release_code() }

    /// Gives back what is free of the heap, which work kept for more of its kind: malloc_trim(3).
    package static func releaseHeap() { clinux_release_heap() }

    /// The effective user id: geteuid(2).
    package static var userID: UInt32 { geteuid() }

    /// The process id: getpid(2).
    package static var processID: Int32 { getpid() }

    /// The arguments, without the program's name.
    ///
    /// Swift's own look for them beside the environment, which a preloaded library may have moved, or in `/proc`.
    package static let arguments = Self.rawArguments.map { String(cString: $0) }

    private static var rawArguments: some Sequence<UnsafePointer<CChar>> {
        // Each is there for as long as the process.
        sequence(state: 1 as Int32) { index in
            defer { index += 1 }
            return clinux_argument(index)
        }
    }

    /// Overwrites an argument where other users of this machine could see it; it is still in ``arguments``,
    /// and in the history of the shell that gave it.
    package static func wipeArgument(_ text: String) { _ = clinux_wipe_argument(text) }

    /// The first argument that is no UTF-8, with marks where it is not; nil where all are.
    ///
    /// In ``arguments`` such bytes are replaced, so that two that differ may read alike.
    package static var garbledArgument: String? {
        Self.rawArguments.first { String(validatingCString: $0) == nil }.map { String(cString: $0) }
    }

    /// The login name of the user, or nil when the system has none for the id: getpwuid_r(3).
    ///
    /// Looks into the user database, which may block where that is on the network.
    package static func userName() -> String? {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let status = getpwuid_r(geteuid(), &entry, base, buffer.count, &result)
            // The strings lie in the buffer, so they are copied before it goes.
            guard status == 0, let name = result?.pointee.pw_name else { return nil }
            return String(cString: name)
        }
    }

    /// The number of a group; nil when the system has none of that name: getgrnam_r(3).
    ///
    /// Looks into the group database, which may block where that is on the network.
    package static func group(named name: String) -> UInt32? {
        var entry = Glibc.group()
        var result: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        let status = getgrnam_r(name, &entry, &buffer, buffer.count, &result)
        return status == 0 ? result?.pointee.gr_gid : nil
    }

    /// Makes writes to a closed pipe fail with `EPIPE` instead of ending the process: signal(7).
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
