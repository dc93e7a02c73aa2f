// stoad runs one node; all of it is in the Daemon module.

import Daemon
import Glibc
import Posix

/// Reads the arguments and the files: at the start, and again when they are to be taken up anew.
///
/// - Parameter own: what the file of the user's own settings is going to be; nil for what it is.
@Sendable func read(own: String?) throws(ConfigurationError) -> DaemonCommand {
    try DaemonCommand(
        arguments: ProcessEnvironment.arguments, environment: ProcessEnvironment.variables(),
        paths: Paths(), own: own)
}

let code: Int32
do throws(ConfigurationError) {
    code = DaemonProcess.run(try read(own: nil), rereading: read)
} catch {
    code = DaemonProcess.refuse(error)
}
exit(code)
