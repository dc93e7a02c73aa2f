// stoad runs one node; all of it is in the Daemon module.

import Daemon
import Glibc
import Posix

let code: Int32
do throws(ConfigurationError) {
    let command = try Command(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessEnvironment.variables(), paths: Paths())
    code = Program.run(command)
} catch {
    code = Program.refuse(error)
}
exit(code)
