import Glibc
import Posix

ProcessEnvironment.ignoreBrokenPipes()
let environment = ProcessEnvironment.variables()
let console = Console(
    input: FileDescriptor(owning: STDIN_FILENO), output: FileDescriptor(owning: STDOUT_FILENO),
    errors: FileDescriptor(owning: STDERR_FILENO), environment: environment)
let code = Program.run(
    Array(CommandLine.arguments.dropFirst()), console: console, environment: environment)
exit(code.rawValue)
