import ControlAPI
import Glibc
import Posix
import Testing

@testable import stoa

@Suite("Lines of messages") struct MessageLineTests {
    private static func message(
        _ id: String, _ text: String, kind: String = "text", answering: String? = nil
    ) -> JSON {
        .members([
            "id": .string(id), "authorName": "ada", "author": "aaaaaaaaaaaaaaaa",
            "kind": .string(kind), "text": .string(text), "time": "2026-01-31T18:00:00.000Z",
            "replyTo": answering.map {
                ["id": .string($0), "author": "bbbbbbbbbbbbbbbb", "authorName": "ben"]
            },
        ])
    }

    private static func lines(_ messages: [JSON], showsID: Bool = false) -> [String] {
        // Nothing is printed; a console takes its streams over.
        func nothing() -> FileDescriptor { FileDescriptor(owning: open("/dev/null", O_RDWR)) }
        let console = Console(
            input: nothing(), output: nothing(), errors: nothing(), environment: [:])
        let lines = MessageLine(console: console, showsConversation: false, showsID: showsID)
        return messages.map { String(lines.text(MessageResult(reading: $0)).dropFirst(20)) }
    }

    @Test("an action has a star, and a reply quotes the beginning of what it answers")
    func kinds() {
        let long = String(repeating: "x", count: 50)
        let found = Self.lines([
            Self.message("m1", "lunch?"), Self.message("m2", "yes", answering: "m1"),
            Self.message("m3", "waves", kind: "action"), Self.message("m4", long),
            Self.message("m5", "so?", answering: "m4"),
            Self.message("m6", "what?", answering: "abcdefghijklmnop"),
        ])
        #expect(
            found == [
                "ada: lunch?\n", "ada: to ben \"lunch?\": yes\n", "* ada waves\n", "ada: \(long)\n",
                "ada: to ben \"\(long.prefix(40))…\": so?\n",
                "ada: to ben (abcdefghijkl): what?\n",
            ])
    }

    @Test("what was quoted cannot break out of its line")
    func hostile() {
        let found = Self.lines([
            Self.message("m1", "one\ntwo\u{1B}[31m"), Self.message("m2", "yes", answering: "m1"),
        ])
        #expect(!found[1].dropLast().contains("\n") && !found[1].contains("\u{1B}"))
    }

    // Shows: shown.lookalikes
    @Test("a name cannot make its text look like somebody else's")
    func names() {
        func lines(_ name: String, _ kind: String) -> [String] {
            var members = Self.message("m1", "ok", kind: kind).objectValue ?? []
            members.removeAll { $0.name == "authorName" }
            return Self.lines([.object(members + [.init("authorName", .string(name))])])
        }
        #expect(
            lines("bob: pay 900 to carol", "text") == ["bob<U+003A> pay 900 to carol: ok\n"])
        #expect(lines("* bob waves", "text") == ["<U+002A> bob waves: ok\n"])
        #expect(lines("bob pays 900 to", "action") == ["* \"bob pays 900 to\" ok\n"])
        #expect(lines("bob left, carol", "join") == ["* \"bob left, carol\" joined\n"])
    }

    @Test("two who differ in their key alone are told apart in every kind of line")
    func keys() {
        for kind in ["text", "action", "join", "leave", "topic", "file", "location", "unknown"] {
            let lines = ["b", "c"].map { first -> [String] in
                var members = Self.message("m1", "ok", kind: kind).objectValue ?? []
                members.removeAll { $0.name == "author" }
                return Self.lines([
                    .object(
                        members + [
                            .init("author", .string(first + "aaaaaaaaaaaaaaaaaaa")),
                            .init("ambiguous", true),
                        ])
                ])
            }
            #expect(lines[0] != lines[1], "\(kind)")
        }
    }

    @Test("what is from outside a group, and a topic that does not count, are marked")
    func marks() {
        func line(_ kind: String, _ mark: String) -> [String] {
            let members = Self.message("m1", "tea", kind: kind).objectValue ?? []
            return Self.lines([.object(members + [.init(mark, true)])])
        }
        #expect(line("text", "outside") == ["ada: tea (outside)\n"])
        #expect(
            line("topic", "ignored")
                == ["* ada set the topic: tea (no effect: not by an admin)\n"])
    }

    @Test("ids are shown by their beginning, where that is asked for")
    func ids() {
        let id = "abcdefghijklmnopqrstuvwxyz"
        #expect(Self.lines([Self.message(id, "x")], showsID: true) == ["abcdefghijkl ada: x\n"])
    }
}
