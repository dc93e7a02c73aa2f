import ControlAPI
import ControlClient
import Posix
import TestSupport
import Testing

@Suite("What a chat keeps")
struct KeptTextTests {
    private static func kept(_ folder: TestFolder, socket: String = "/s") throws -> KeptText {
        try #require(KeptText(socket: socket, environment: ["XDG_STATE_HOME": folder.path]))
    }

    @Test("what a chat has left that ended is taken over once, by a chat at the same socket")
    func takenOver() throws {
        let folder = try TestFolder()
        do {
            let first = try Self.kept(folder)
            try first.write(Array("one".utf8))
            try first.write(Array("two".utf8), isSynced: false)
            #expect(try Self.kept(folder).takeOver().isEmpty, "its chat runs")
            let files = try Files.names(in: folder.path + "/stoa")
            #expect(files.count == 1)
            #expect(Files.permissions(folder.path + "/stoa/" + files[0])?.mode == 0o600)
        }
        #expect(try Self.kept(folder, socket: "/other").takeOver().isEmpty)
        do {
            // Who takes it over and dies before it is kept leaves it to the next.
            let dying = try Self.kept(folder)
            #expect(dying.takeOver() == [Array("two".utf8)])
            #expect(try Self.kept(folder).takeOver().isEmpty)
        }
        do {
            let next = try Self.kept(folder)
            #expect(next.takeOver() == [Array("two".utf8)])
            try next.write(Array("two".utf8))
            #expect(try Files.names(in: folder.path + "/stoa").count == 1)
            try next.write(nil)
            #expect(try Files.names(in: folder.path + "/stoa").isEmpty)
        }
        #expect(try Self.kept(folder).takeOver().isEmpty)
    }

    @Test("two chats at one socket keep their own")
    func two() throws {
        let folder = try TestFolder()
        let (one, other) = (try Self.kept(folder), try Self.kept(folder))
        try one.write([1])
        try other.write([2])
        #expect(try Files.names(in: folder.path + "/stoa").count == 2)
        try one.write(nil)
        #expect(try Files.names(in: folder.path + "/stoa").count == 1)
    }

    @Test("where it is the environment says, and nothing is kept where it does not")
    func places() throws {
        #expect(KeptText(socket: "/s", environment: [:]) == nil)
        let folder = try TestFolder()
        let kept = try #require(
            KeptText(
                socket: "/s", environment: ["HOME": folder.path, "XDG_STATE_HOME": "relative"]))
        try kept.write([1])
        #expect(try Files.names(in: folder.path + "/.local/state/stoa").count == 1)
    }

    @Test("what cannot be kept is said, and what was kept before stays")
    func refused() throws {
        let folder = try TestFolder()
        try Files.writeAtomically([], to: folder.path + "/file", mode: 0o600)
        let kept = try #require(
            KeptText(socket: "/s", environment: ["XDG_STATE_HOME": folder.path + "/file"]))
        #expect(throws: SystemError.self) { try kept.write([1]) }
    }

    @Test("no text is left where all are removed, and those of programs that have ended are given")
    func removed() throws {
        let folder = try TestFolder()
        let environment = ["XDG_STATE_HOME": folder.path]
        var chat = SavedChat()
        chat.lines = [.init(to: "ops", text: "a line", key: "k")]
        chat.drafts = [.init(conversation: "c", text: "a draft")]
        let page = """
            {"lines":[{"params":{"to":"ops","text":"a post"}}],"notes":[{"name":"settings","text":"{\\"theme\\":\\"dark\\"}"},
            {"name":"draft:c","text":"{\\"text\\":\\"a note\\"}"}]}
            """
        do {
            try Self.kept(folder).write(chat.bytes)
            try #require(KeptText(socket: "/s", environment: environment, of: "page"))
                .write(Array(page.utf8))
        }
        let running = try Self.kept(folder)
        chat.drafts[0].text = "of one that runs"
        try running.write(chat.bytes)
        let other = try Self.kept(folder, socket: "/other")
        try other.write(chat.bytes)
        let texts = try KeptText.removeTexts(socket: "/s", environment: environment)
        #expect(texts == ["a line", "a draft", "a post", "a note"])
        let names = try Files.names(in: folder.path + "/stoa")
        let left = try names.map {
            String(
                decoding: try Files.read("\(folder.path)/stoa/\($0)", limitBytes: 9_999),
                as: UTF8.self)
        }
        #expect(left.count == 2, "the other socket's, and settings")
        #expect(
            left.contains {
                $0.contains("settings") && !$0.contains("a note") && !$0.contains("a post")
            })
        let next = try #require(KeptText(socket: "/s", environment: environment, of: "page"))
        #expect(next.takeOver().count == 1)
        #expect(try KeptText.removeTexts(socket: "/s", environment: environment).isEmpty)
    }
}
