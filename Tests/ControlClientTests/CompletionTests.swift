import ControlAPI
import Letters
import Posix
import TestSupport
import Testing

@testable import stoa

@Suite("Completion")
struct CompletionTests {
    private func words(_ line: String...) -> [String] {
        guard case .words(let candidates) = CompletionPlace.find(line) else { return [] }
        return candidates.map(\.word)
    }

    @Test("offers the commands first, and every one of the table")
    func commands() {
        #expect(self.words("") == CommandTable.all.map { $0.syntax.name } + ["help"])
        #expect(self.words("--timeout", "2", "").contains("send"))
        #expect(self.words("help", "").contains("send"))
    }

    @Test("offers the options of the command, and those of every command")
    func options() {
        #expect(self.words("send", "ops", "--").contains("--wait"))
        #expect(self.words("send", "ops", "--").contains("--socket"))
        #expect(self.words("--").contains("--version"))
        #expect(CompletionPlace.find(["send", "ops", "--", "--"]) == .nothing)
    }

    @Test(
        "knows what each place of a usage is",
        arguments: [
            ("send ", CompletionPlace.conversations), ("send --key k ", .conversations),
            ("history ", .conversations), ("join ", .rooms), ("invite ", .rooms),
            ("block ", .people),
            ("whois ", .people), ("ask ops q --by ", .people), ("react ", .messages),
            ("history ops --around ", .messages), ("tail --consumer ", .consumers),
            ("send ops --wait read --members ", .people),
            ("consumers remove ", .consumers), ("realm leave ", .realms), ("realm join ", .files),
            ("backup ", .files), ("--socket ", .files), ("device promote ", .files),
            ("device demote ", .files), ("device revoke ", .nothing), ("send ops ", .nothing),
            ("nonsense ", .nothing),
            ("search --in ", .conversations),
        ])
    func places(line: String, place: CompletionPlace) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(CompletionPlace.find(words) == place, "\(line)")
    }

    @Test("every place of the table that has choices offers them")
    func choices() {
        #expect(self.words("realm", "") == ["new", "invite", "join", "leave", "list", "rotate"])
        #expect(self.words("people", "") == ["add", "remove"])
        #expect(self.words("send", "ops", "--wait", "").contains("delivered"))
    }

    @Test("offers what the daemon knows and fits what was typed, in upper or lower case")
    func candidates() throws {
        let daemon = try FakeDaemon { call in
            switch call.method {
            case "conversations":
                return [
                    .result([
                        "items": [
                            ["name": "ops", "unread": 2], ["name": "Office/ops", "topic": "all"],
                            ["name": "@Ada"],
                        ]
                    ])
                ]
            case "people":
                return [
                    .result([
                        "items": [
                            [
                                "name": "Ada Lovelace", "id": "aaaaaaaaaaaaaaaaaaaa",
                                "state": "linked",
                            ],
                            [
                                "name": "Ben", "id": "bbbbbbbbbbbbbbbbbbbb", "state": "away",
                                "ambiguous": true,
                            ],
                        ]
                    ])
                ]
            default: return [.failure(.methodNotFound(call.method))]
            }
        }
        func run(_ words: String...) throws -> String {
            let run = try CommandRun(["complete", "--"] + words, daemon: daemon)
            #expect(run.code == .done)
            #expect(run.errors.isEmpty)
            return run.output
        }
        #expect(try run("send", "O") == "ops\t2 unread\nOffice/ops\tall\n")
        #expect(try run("send", "@a") == "@Ada Lovelace\tlinked\n")
        #expect(try run("whois", "") == "@Ada Lovelace\tlinked\n@bbbbbbbbbbbb\taway\n")
        #expect(try run("ask", "ops", "q", "--by", "@x,@b") == "@x,@bbbbbbbbbbbb\taway\n")
        #expect(try run("backup", "x") == ":files\t\n")
    }

    @Test("completes names in every script, from the beginning as it was typed")
    func scripts() throws {
        // One of each script, so that a beginning of two letters means one.
        var names: [String: ScriptName] = [:]
        for each in ScriptName.all where each.name.unicodeScalars.count > 2 {
            names[each.script] = each
        }
        let items = names.values.map { JSON.object([JSON.Member("name", .string($0.name))]) }
        let daemon = try FakeDaemon { call in
            let isList = call.method == "conversations"
            return [.result(.object([JSON.Member("items", isList ? .array(items) : [])]))]
        }
        for each in names.values {
            for typed in [
                each.name, each.capitals,
                String(String.UnicodeScalarView(each.name.decomposedScalars)),
            ] {
                let beginning = String(String.UnicodeScalarView(typed.unicodeScalars.prefix(4)))
                let run = try CommandRun(["complete", "--", "history", beginning], daemon: daemon)
                #expect(run.output.contains("\(each.name)\t"), "\(each.script): \(beginning)")
            }
        }
    }

    @Test("says nothing where there is no daemon or nothing fits")
    func silent() throws {
        let run = try CommandRun(
            ["complete", "--", "send", ""], environment: ["STOA_SOCKET": "/nonexistent/socket"])
        #expect(run.code == .done)
        #expect(run.output.isEmpty)
        #expect(run.errors.isEmpty)
    }

    @Test("escape sequences in names reach no terminal")
    func escapes() throws {
        let daemon = try FakeDaemon { call in
            guard call.method == "conversations" else { return [.result(["items": []])] }
            return [.result(["items": [["name": "a\u{1b}[31m\nb"]]])]
        }
        let run = try CommandRun(["complete", "--", "send", ""], daemon: daemon)
        #expect(!run.output.unicodeScalars.contains("\u{1b}"))
        #expect(run.output.split(separator: "\n").count == 1)
    }
}
