import ControlAPI
import TestSupport
import Testing

@testable import Chat

@Suite("The manual page of chat")
struct ChatPageTests {
    @Test("has the commands and keys of the program; STOA_WRITE_MAN=1 writes them anew")
    func published() {
        #expect(
            GeneratedPage("stoa-chat.1").holds([
                ("commands", Self.commands), ("keys", Self.keys),
            ]))
    }

    private static var commands: String {
        SlashCommand.Name.Group.allCases.map { group in
            ".Ss \(group.rawValue.prefix(1).uppercased() + group.rawValue.dropFirst())\n"
                + ".Bl -tag -width Ds\n"
                + group.names.map { name in
                    ".It Ic /\(name)"
                        + (name.operands.isEmpty ? "" : " \(GeneratedPage.roff(name.operands))")
                        + "\n\(Self.sentence(name.summary))\n"
                }.joined() + ".El\n"
        }.joined()
    }

    private static var keys: String {
        ChatKeys.all.map { entry in
            ".It \(GeneratedPage.roff(entry.keys))\n\(Self.sentence(entry.does))\n"
        }.joined()
    }

    private static func sentence(_ text: String) -> String {
        GeneratedPage.roff(text.prefix(1).uppercased() + text.dropFirst() + ".")
    }

    @Test("lists each key that does something with Ctrl or Alt, and none that does nothing")
    func listed() {
        let listed = ChatKeys.all.flatMap { Self.presses($0.keys) }
        for letter in "abcdefghijklmnopqrstuvwxyz0123456789/<>_" {
            for key in [KeyPress.control(letter), .alt(letter)] where Self.isSent(key) {
                #expect(listed.contains(key) == Self.works(key), "\(key)")
            }
        }
    }

    /// The keys with Ctrl and Alt in a list as it is shown: `Ctrl-A, E, Alt-1…9`.
    private static func presses(_ keys: String) -> [KeyPress] {
        var isControl = false
        return keys.split { ", ".contains($0) }.flatMap { word -> [KeyPress] in
            var word = word
            for (prefix, control) in [("Ctrl-", true), ("Alt-", false)] where word.hasPrefix(prefix)
            {
                isControl = control
                word = word.dropFirst(prefix.count)
            }
            if word == "1…9" { return "123456789".map { .alt($0) } }
            guard word.count == 1, let letter = word.lowercased().first else { return [] }
            return [isControl ? .control(letter) : .alt(letter)]
        }
    }

    /// Terminals send these as Tab, Enter and Backspace, and no digit with Ctrl.
    private static func isSent(_ key: KeyPress) -> Bool {
        guard case .control(let letter) = key else { return true }
        return letter.isLetter && !"ijmhqs".contains(letter) || letter == "_"
    }

    /// Whether it makes a difference, where there is something to do for every key.
    private static func works(_ key: KeyPress) -> Bool {
        let text: [KeyPress] = [.text("one two"), .control("b"), .control("b"), .control("w")]
        return [[], text, [.altUp], [.alt("2")], [.alt("<")]].contains {
            Self.seen(after: $0 + [key]) != Self.seen(after: $0)
        }
    }

    private static func seen(after keys: [KeyPress]) -> String {
        var client = Client()
        let rooms = (1...12).map {
            client.room(
                $0 == 1 ? Client.ops : "\($0)", "room\($0)", unread: $0 == 1 || $0 == 3 ? 2 : 0)
        }
        let history = (1...60).map { number in
            client.message("m\(number)", "line \(number)", cursor: Int64(number))
        }
        client = Client(history: history, conversations: rooms)
        client.give(.keys(keys))
        // With what is drawn otherwise, as a chosen message is.
        let before = Self.drawn(client)
        client.type("q")
        return "\(before) \(Self.drawn(client)) \(client.effects) \(client.asked.map(\.method))"
    }

    private static func drawn(_ client: Client) -> String {
        var state = client.state
        return "\(state.frame())"
    }
}
