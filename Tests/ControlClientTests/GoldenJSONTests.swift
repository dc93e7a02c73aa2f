import ControlAPI
import Glibc
import Posix
import TestSupport
import Testing

@testable import stoa

/// What every command prints with `--json`: programs rely on it, so a change is seen where it is made.
@Suite("What --json prints", .timeLimit(.minutes(5))) struct GoldenJSONTests {
    /// How each command is asked; those that are missing go on for long, or print nothing of their own.
    private static let asked: [String] = [
        "status", "status --clock ops", "peers", "peers --refusals", "usage", "rooms",
        "conversations --all",
        "members ops",
        "join ops", "leave ops", "mute ops", "unmute ops", "archive ops", "unarchive ops",
        "retain ops --days 3 --size 20M --yes", "forget ops --yes", "topic ops",
        "create ops --secret",
        "invite ops",
        "requests", "accept @ada", "decline @ada", "send ops hi --wait read --members all",
        "edit aaaaaaaa hi", "delete aaaaaaaa", "react aaaaaaaa +1", "info aaaaaaaa", "transfers",
        "transfers cancel aaaaaaaa", "history ops",
        "search lunch", "tail ops --kind text,delivery --limit 2", "consumers",
        "consumers remove mail", "connect 192.0.2.7:4100", "profile", "presence away", "whois @ada",
        "people",
        "people add @ada", "people remove @ada", "verify @ada", "block @ada", "unblock @ada",
        "settings", "settings DirectFrom anyone", "realm list", "realm leave office",
        "realm rotate office", "export ops", "group members +ops", "group link +ops --approve",
        "group link +ops --end --yes",
    ]
    private static let others: Set = [
        "realm", "backup", "restore", "device", "chat", "on", "run", "ask", "fetch", "picture",
        "notify", "web", "call", "stream", "doctor", "group", "lock", "unlock", "sites",
    ]

    /// A full result of a method, of which nothing follows.
    private static func result(of method: String) -> JSON {
        let described = OpenRPC.document["methods"]?.arrayValue?.first {
            $0["name"]?.stringValue == method
        }
        let value = SchemaExample.value(of: described?["result"]?["schema"] ?? .null)
        return .object(
            (value.objectValue ?? []).compactMap { member in
                switch member.name {
                case "next": nil
                case "more": JSON.Member("more", false)
                case "subscription": JSON.Member("subscription", 1)
                default: member
                }
            })
    }

    static func daemon() throws -> FakeDaemon {
        try FakeDaemon { request in
            var steps: [FakeDaemon.Step] = [.result(Self.result(of: request.method))]
            guard request.method == "subscribe" else { return steps }
            for event in [MessageEvent.self, ChangeEvent.self] as [any ControlEvent.Type] {
                var value = SchemaExample.value(of: event.schema).objectValue ?? []
                value[0] = JSON.Member("subscription", 1)
                if let event = event.init(field: .object(value)) { steps.append(.event(event)) }
            }
            return steps
        }
    }

    private static var path: String {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return "/\(folder)/Golden/json.txt"
    }

    @Test("is as it was; STOA_WRITE_JSON=1 writes it anew")
    func golden() throws {
        var made = ""
        for line in Self.asked {
            let words = line.split(separator: " ").map(String.init)
            let run = try CommandRun(["--json"] + words, daemon: try Self.daemon())
            #expect(run.code == .done, "\(line): \(run.errors)")
            made += "$ stoa --json \(line)\n\(run.output)"
            for output in run.output.split(separator: "\n") {
                #expect((try? JSON(parsing: Array(output.utf8))) != nil, "\(line)")
            }
        }
        if ProcessEnvironment.variables()["STOA_WRITE_JSON"] != nil {
            try Files.writeAtomically(Array(made.utf8), to: Self.path, mode: 0o644)
        }
        let kept = String(
            decoding: try Files.read(Self.path, limitBytes: 1 << 20), as: UTF8.self)
        for (old, new) in zip(kept.split(separator: "\n"), made.split(separator: "\n")) {
            #expect(old == new)
        }
        #expect(kept == made)
    }

    @Test("is looked at for every command")
    func complete() {
        let asked = Set(Self.asked.compactMap { $0.split(separator: " ").first.map(String.init) })
        for command in CommandTable.all {
            let name = command.syntax.name
            #expect(asked.contains(name) || Self.others.contains(name), "\(name)")
        }
    }
}
