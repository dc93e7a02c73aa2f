import Glibc
import Posix

let status = CommandLineProgram.main()
Interrupts.end(with: status)
exit(status)
