// stoad runs one node; all of it is in the Daemon module.

import Daemon
import Glibc
import Posix

let code: Int32
do throws(ConfigurationError) {
    let command = try DaemonCommand(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessEnvironment.variables(), paths: Paths())
    code = DaemonProcess.run(command)
} catch {
    code = DaemonProcess.refuse(error)
}
exit(code)
