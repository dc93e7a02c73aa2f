// stoa-web serves the page in the user's browser, until ten minutes after its last page.

import Glibc
import Posix

ProcessEnvironment.ignoreBrokenPipes()
ProcessEnvironment.useOneHeap()
exit(WebShell.run(ProcessEnvironment.arguments))
