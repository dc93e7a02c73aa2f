// stoad runs one node; all of it is in the Daemon module.

import Daemon
import Glibc
import Posix

/// Reads the arguments and the files: at the start, and again when they are to be taken up anew.
@Sendable func read() throws(ConfigurationError) -> DaemonCommand {
    try DaemonCommand(
        arguments: ProcessEnvironment.arguments, environment: ProcessEnvironment.variables(),
        paths: Paths())
}

let code: Int32
do throws(ConfigurationError) {
    code = DaemonProcess.run(try read(), rereading: read)
} catch {
    code = DaemonProcess.refuse(error)
}
exit(code)
