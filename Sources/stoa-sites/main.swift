// stoa-sites shares rooms with other sites over the NATS servers that stoad.conf names.

import Glibc
import Posix

ProcessEnvironment.ignoreBrokenPipes()
exit(SitesShell.run(ProcessEnvironment.arguments))
