// stoa-notify tells of messages at the desktop, until its session ends.

import Glibc
import Posix

ProcessEnvironment.ignoreBrokenPipes()
exit(NotifierShell.run(ProcessEnvironment.arguments))
