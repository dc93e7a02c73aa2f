// stoa-chat is the screen of `stoa chat`, which starts it: `stoa-chat SOCKET [TO]`.

import Glibc
import Posix

let words = CommandLine.arguments.dropFirst()
guard let socket = words.first, words.count <= 2 else {
    exit(ChatShell.refuse("this program is started by: stoa chat"))
}
ProcessEnvironment.ignoreBrokenPipes()
exit(ChatShell.run(socket: socket, to: words.dropFirst().first))
