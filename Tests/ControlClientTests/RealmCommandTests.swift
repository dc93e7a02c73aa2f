import ControlAPI
import Posix
import Testing

@testable import stoa

@Suite("The command realm", .timeLimit(.minutes(5)))
struct RealmCommandTests {
    private static let line =
        "stoa:realm?name=office&id=\(CommandTests.id)&secret=\(CommandTests.other)&check=abcdefgh"
    private static let realm = RealmsMethod.Realm {
        $0.id = CommandTests.id
        $0.name = "office"
        $0.joined = true
        $0.rooms = 2
    }

    private static func daemon() throws -> FakeDaemon {
        try FakeDaemon { request in
            switch request.method {
            case "realms": [.result(["items": [Self.realm.json]])]
            case "realmInvite", "realmRotate":
                [
                    .result(
                        RealmInviteMethod.Result {
                            $0.name = "office"
                            $0.invite = Self.line
                        }.json)
                ]
            case "realmLeave":
                [
                    .result(
                        RealmLeaveMethod.Result {
                            $0.name = "office"
                            $0.rooms = ["office/ops"]
                        }.json)
                ]
            default: [.result(Self.realm.json)]
            }
        }
    }

    @Test("makes, lists, leaves and renews realms")
    func steps() throws {
        let daemon = try Self.daemon()
        let new = try CommandRun(["realm", "new", "office"], daemon: daemon)
        #expect(new.output == "created realm office; invite with: stoa realm invite office\n")
        let list = try CommandRun(["realm", "list"], daemon: daemon).output
        #expect(list.contains("office  yes    2      you   -"), "\(list)")
        let left = try CommandRun(["realm", "leave", "office"], daemon: daemon).output
        #expect(left.contains("you have left realm office\n") && left.contains("office/ops"))
        let rotate = try CommandRun(["realm", "rotate", "office", "--days", "3"], daemon: daemon)
        #expect(rotate.output == Self.line + "\n")
        #expect(daemon.params("realmRotate") == [#"{"name":"office","days":3}"#])
        _ = try CommandRun(["realm", "rotate", "office", "--force"], daemon: daemon)
        #expect(daemon.params("realmRotate").last == #"{"name":"office","force":true}"#)
        let invite = try CommandRun(["realm", "invite", "office"], daemon: daemon)
        #expect(invite.output == Self.line + "\n")
    }

    @Test("takes an invitation from standard input or a file, never from its arguments")
    func joining() throws {
        let daemon = try Self.daemon()
        for words in [["realm", "join", "-"], ["realm", "join"]] {
            let run = try CommandRun(words, daemon: daemon, input: Array((Self.line + "\n").utf8))
            #expect(run.output.hasPrefix("you are in realm office"))
            #expect(daemon.params("realmJoin").last == #"{"invite":"\#(Self.line)"}"#)
        }
        let named = try CommandRun(
            ["realm", "join", "-", "--as", "work"], daemon: daemon, input: Array(Self.line.utf8))
        #expect(named.code == .done)
        #expect(daemon.params("realmJoin").last?.contains(#""name":"work""#) == true)
        let count = daemon.params("realmJoin").count
        let refused = try CommandRun(["realm", "join", Self.line], daemon: daemon)
        #expect(refused.code == .usage)
        #expect(refused.errors.contains("stoa realm join"))
        #expect(!refused.errors.contains(CommandTests.other), "the secret is not repeated")
        #expect(daemon.params("realmJoin").count == count, "nothing is sent")
    }

    @Test("says what it does not take")
    func usage() throws {
        let daemon = try Self.daemon()
        for words in [
            ["realm"], ["realm", "make", "x"], ["realm", "new"], ["realm", "list", "--qr"],
            ["realm", "rotate", "x", "--days", "-1"], ["realm", "new", "x", "--days", "1"],
            ["realm", "invite", "x", "--as", "y"], ["realm", "invite", "x", "--force"],
        ] {
            #expect(try CommandRun(words, daemon: daemon).code == .usage, "\(words)")
        }
        let empty = try CommandRun(["realm", "join", "-"], daemon: daemon, input: [])
        #expect(empty.code == .badData)
    }

    @Test("draws a code two rows to a line, light where there is nothing")
    func code() {
        let text = QRCode(QREncoder.Matrix(width: 2, dots: [true, false, false, true])).text
        #expect(text == "██████\n██▄▀██\n██████\n")
    }
}
