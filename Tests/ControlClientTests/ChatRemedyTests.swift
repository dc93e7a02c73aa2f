import ControlAPI
import TestSupport
import Testing

@testable import stoa

@Suite("What helps, as chat says it")
struct ChatRemedyTests {
    @Test(
        "chat's own command stands for the shell's",
        arguments: [
            ("see the people who are: stoa requests", "see the people who are: /requests"),
            (
                "see stoa realm list, or join it: stoa realm join FILE",
                "see /realm, or join it: /realm join"
            ),
            ("join it: stoa join '&plans'", "join it: /join &plans"),
            (
                "ask them to join first (stoa realm invite lab); then",
                "ask them to join first (/realm invite lab); then"
            ),
            ("write first: stoa send @ada TEXT", "write first: /msg @ada TEXT"),
            ("send it as a file: stoa send ops --file FILE", "send it as a file: /file PATH"),
            (
                "see stoa rooms, or join it: stoa join ROOM",
                "see what Tab offers after /join, or join it: /join ROOM"
            ),
            (
                "delete it (stoa delete ID), and send another one",
                "delete it (/delete), and send another one"
            ),
        ])
    func replaced(shell: String, chat: String) {
        #expect(ChatRemedy.text(shell) == chat)
    }

    @Test(
        "what chat cannot do, or is done elsewhere, stays",
        arguments: [
            "run stoa doctor", "add contacts: stoa people add @PERSON; or use --members any",
            "give the whole line that stoa invite printed", "join it: stoa join ops --secret",
            "set one: stoa profile --picture FILE", "see stoa-control(7)", "start stoad",
        ])
    func kept(text: String) {
        #expect(ChatRemedy.text(text) == text)
    }

    @Test("each command that chat sends people to the shell for leads back to it")
    func both() {
        for name in SlashCommand.Name.allCases {
            let said = PlainCommands.instead(of: name, in: "ops")
            guard let shell = said.firstRange(of: "stoa ") else { continue }
            let chat = ChatRemedy.text(String(said[shell.lowerBound...]))
            #expect(chat == "/\(name)" || chat.hasPrefix("/\(name) "), "\(said)")
        }
    }

    @Test("no error of the daemon sends people in chat to the shell for what chat does")
    func sources() throws {
        // The shell's words for what chat does, too: of realms the second one counts.
        var done: Set<Substring> = []
        for name in SlashCommand.Name.allCases {
            let words = PlainCommands.instead(of: name, in: "ops").split(separator: " ")
            if let place = words.firstIndex(of: "stoa") { done.insert(words[place + 1]) }
        }
        var count = 0
        for remedy in Self.named() {
            let command = ChatRemedy.text(remedy).split(separator: " ")
            guard command.first == "stoa", command.count > 1, done.contains(command[1]) else {
                count += 1
                continue
            }
            #expect(Self.needsShell.contains { remedy.hasPrefix($0) }, "\(remedy)")
        }
        #expect(count > 40)
    }

    /// What chat does not do: where a secret or a key is handled in files, or is told of another machine.
    private static let needsShell = [
        "stoa profile --picture", "stoa join ROOM --secret", "stoa realm rotate",
        "stoa status shows", "stoa status there", "stoa invite printed",
        "stoa realm invite printed", "stoa realm invite on", "stoa realm join --as",
        "stoa search --until", "stoa group create NAME --from", "stoa group link",
        // Chat chooses messages by keys, and says so itself.
        "stoa history --ids", "stoa history ROOM --ids", "stoa history X --ids",
    ]

    /// The commands in texts of the sources, each from `stoa` to where its words end.
    private static func named() -> [String] {
        ["Daemon", "Engine", "ControlAPI"].flatMap {
            self.files("\(TestFiles.tests)/../Sources/\($0)")
        }
        .flatMap { path in
            String(decoding: TestFiles.read(path) ?? [], as: UTF8.self).split(separator: "\n")
        }
        .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
        .flatMap { line in
            line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }
                .flatMap { self.commands(in: $0.element) }
        }
    }

    private static func files(_ folder: String) -> [String] {
        TestFiles.names(in: folder).flatMap { name in
            name.hasSuffix(".swift") ? ["\(folder)/\(name)"] : self.files("\(folder)/\(name)")
        }
    }

    private static func commands(in literal: Substring) -> [String] {
        // What is put in is one word.
        let text = literal.replacing(/\\\([^ ]*\)/, with: "X")
        return text.ranges(of: "stoa ").map { range in
            String(text[range.lowerBound...].prefix { !";,()".contains($0) })
        }
    }
}
