// stoa-chat is the screen of `stoa chat`, which starts it: `stoa-chat SOCKET [TO]`.

import ControlAPI
import Glibc
import Posix

let words = ProcessEnvironment.arguments[...]
switch words.first {
case "--help", "-h":
    print(
        "stoa-chat is the screen of stoa chat, which starts it: stoa chat [TO]; see: stoa help chat"
    )
    exit(0)
case "--version":
    print("stoa-chat \(StoaVersion.text)")
    exit(0)
case let word? where word.hasPrefix("-"):
    ChatShell.report(
        "\"\(TerminalText.line(word))\" is not an option; this program is started by: stoa chat")
    exit(64)
default: break
}
guard let socket = words.first, words.count <= 2 else {
    ChatShell.report("this program is started by: stoa chat")
    exit(64)
}
ProcessEnvironment.ignoreBrokenPipes()
exit(ChatShell.run(socket: socket, to: words.dropFirst().first))
