import ControlAPI
import Glibc
import Posix
import Testing

extension IntegrationTests {
    @Suite("in a group") struct GroupUseTests {
        /// Three who know one another, in a group of the first, in which nothing was written.
        private static func three(_ scratch: Scratch) throws -> (Node, Node, Node) {
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            for node in [ada, ben, cleo] {
                let others = Set(["Ada", "Ben", "Cleo"].filter { $0 != node.name })
                try node.await("all know one another") { node in
                    try Set(node.list("peers").compactMap { $0["name"]?.stringValue })
                        .isSuperset(of: others)
                }
                for other in [ada, ben, cleo] where other !== node { try node.know(other.name) }
            }
            _ = try ada.stoa("group", "create", "ops")
            for node in [ben, cleo] { try GroupTests.bring(node, to: "+ops", by: ada) }
            for node in [ada, ben, cleo] {
                try node.await("all are in") { try GroupTests.members($0).count == 3 }
            }
            return (ada, ben, cleo)
        }

        /// The id of a message, once it has come.
        private static func id(of text: String, at node: Node) throws -> String {
            try node.awaitTexts([text], in: "+ops")
            let found = try node.history(of: "+ops").first { $0["text"]?.stringValue == text }
            return try #require(found?["id"]?.stringValue)
        }

        /// Why a node refuses something; nil where it does not.
        private static func refusal(
            _ node: Node, _ method: String, _ params: JSON
        ) throws -> RPCError? {
            let control = try node.control()
            guard
                case .failure(let error)? = try control.outcome(of: control.post(method, params))
            else { return nil }
            return error
        }

        private static func pipe(_ text: String, _ node: Node, _ words: String) throws -> String {
            try ChildProcess.run(
                [
                    "sh", "-c",
                    "printf '\(text)' | '\(Surroundings.programs())/stoa' --socket '\(node.socket)' "
                        + words,
                ], environment: node.environment)
        }

        @Test("messages are answered, changed, found, asked about and awaited as in a room")
        func messages() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Self.three(scratch)
            let all = ["--wait", "delivered", "--members", "all"]
            let sent = try ada.stoa("send", "+ops", "hello @Ben", all[0], all[1], all[2], all[3])
            #expect(sent == "sent, delivered to 2 peers\n")
            let hello = try Self.id(of: "hello @Ben", at: ben)
            #expect(try ben.history(of: "+ops").first?["mention"] == true)
            _ = try ben.stoa("send", "+ops", "an answer", "--reply", hello)
            _ = try Self.id(of: "hello @Ben", at: cleo)
            _ = try cleo.stoa("react", hello, "👍")
            _ = try ada.stoa("edit", hello, "hello again")
            try ben.send("a slip", to: "+ops")
            let slip = try Self.id(of: "a slip", at: cleo)
            #expect(try cleo.stoa("delete", slip, expecting: 77).isEmpty)
            _ = try ben.stoa("delete", slip)
            _ = try ada.stoa("topic", "+ops", "tea")
            let topic: JSON = ["to": "+ops", "text": "mine"]
            #expect(try Self.refusal(ben, "topic", topic)?.reason == "notAdmin")
            for node in [ada, ben, cleo] {
                try node.await("all of it") { node in
                    let lines = try node.stoa("history", "+ops")
                    return lines.contains("Ada: hello again (edited) [👍]")
                        && lines.contains("an answer") && !lines.contains("a slip")
                        && lines.contains("set the topic: tea")
                }
                #expect(try node.stoa("search", "again", "--in", "+ops").contains("hello again"))
                #expect(try node.stoa("export", "+ops").split(separator: "\n").count == 3)
            }
            let info = try ada.stoa("info", hello)
            #expect(info.contains("first text  hello @Ben") && info.contains("delivered   Cleo"))
            for (word, sign) in [("mute", "(muted)"), ("archive", "(archived)")] {
                _ = try ben.stoa(word, "+ops")
                #expect(try ben.stoa("conversations").contains("+ops \(sign)"))
                _ = try ben.stoa("un\(word)", "+ops")
            }
            _ = try ben.stoa("retain", "+ops", "--days", "30")
            #expect(try ben.stoa("usage").contains("30 days"))
            _ = try ada.stoa("run", "+ops", "--", "sh", "-c", "exit 3", expecting: 3)
            let asking = try ada.startStoa("ask", "+ops", "Tea?", "--choices", "yes,no")
            let question = try Self.id(of: "Tea? [yes/no]", at: cleo)
            _ = try cleo.stoa("send", "+ops", "no", "--reply", question)
            #expect(try asking.waitForExit() == .code(1))
            #expect(try ben.texts(in: "+ops").contains { $0.contains("failed with exit code 3") })
            for node in [ada, ben, cleo] {
                let logs = try node.call("clock", ["to": "+ops"])["items"]?.arrayValue ?? []
                #expect(logs.count == 3)
            }
        }

        @Test("files, streams, consumers and keys go on where the daemon was started again")
        func lasting() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Self.three(scratch)
            let tail = try ben.startStoa("--json", "tail", "+ops", "--consumer", "bot")
            try ben.await("it listens") { try $0.list("consumers").contains { $0["live"] == true } }
            try tail.kill()
            let source = scratch.path + "/source"
            try Files.writeAtomically([UInt8](repeating: 7, count: 300_000), to: source)
            _ = try ada.stoa("send", "+ops", "--file", source, "a caption")
            #expect(try ada.stoa("send", "+ops", "once", "--key", "k") == "sent\n")
            _ = try Self.pipe("durable", ada, "stream send +ops log")
            let file = try Self.id(of: "a caption", at: cleo)
            for node in [ada, ben] {
                node.add(["--listen", try node.address()])
                try node.stop()
            }
            for node in [ada, ben] { try node.start() }
            #expect(try ada.stoa("send", "+ops", "once", "--key", "k") == "sent already\n")
            let saved = scratch.path + "/saved"
            _ = try cleo.stoa("fetch", file, "-o", saved)
            #expect(
                try Files.read(saved, limitBytes: 1 << 20) == [UInt8](repeating: 7, count: 300_000))
            let received = try cleo.stoa("stream", "recv", "+ops", "log", "--from", "0")
            #expect(received == "durable")
            let again = try ben.stoa(
                "--json", "tail", "+ops", "--consumer", "bot", "--limit", "2", "--kind",
                "message")
            #expect(again.contains(#""text":"a caption""#) && again.contains(#""text":"once""#))
            let hearing = try cleo.control()
            _ = try hearing.call("openStream", ["to": "+ops", "name": "beat", "receive": true])
            _ = try Self.pipe("tick", ben, "stream send +ops beat --ephemeral --member @Cleo")
            try hearing.awaitEvent("the packet") { event, _ in event.method == "stream" }
        }

        @Test("who cannot be asked first is named, and nobody is removed once the client has gone")
        func asked() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Self.three(scratch)
            try ben.send("hello", to: "+ops")
            _ = try Self.id(of: "hello", at: ada)
            let process = try ben.processID()
            Glibc.kill(process, SIGSTOP)
            defer { Glibc.kill(process, SIGCONT) }
            let key = try ada.key(of: "@Cleo")
            let removing = try ada.startStoa("group", "remove", "+ops", key, "--yes")
            try removing.kill()
            // By then the daemon has seen that the client is gone.
            for _ in 0..<3 { _ = try ada.call("status") }
            Glibc.kill(process, SIGCONT)
            try ben.send("after", to: "+ops")
            _ = try Self.id(of: "after", at: ada)
            #expect(try GroupTests.members(ada).count == 3)
            // What a client asks next waits for the removal, so that it is not for who is removed.
            Glibc.kill(process, SIGSTOP)
            let client = try ada.control()
            let removed = try client.post(
                "groupAct", ["group": "+ops", "act": "remove", "person": .string(key)])
            let sent = try client.post("send", ["to": "+ops", "text": "not for cleo"])
            // What this connection asks would wait, too.
            _ = try ada.stoa("status")
            Glibc.kill(process, SIGCONT)
            #expect(try client.result(of: removed)["unasked"] == nil)
            #expect(try client.result(of: sent)["id"] != nil)
            try cleo.await("she is out") { try !GroupTests.isIn($0) }
            #expect(try !cleo.texts(in: "+ops").contains("not for cleo"))
            try GroupTests.bring(cleo, to: "+ops", by: ada)
            try cleo.await("she is in again") { try GroupTests.members($0).count == 3 }
            try ben.stop()
            let params: JSON = ["group": "+ops", "act": "remove", "person": .string(key)]
            #expect(try ada.call("groupAct", params)["unasked"] == ["Ben"])
            try cleo.await("she is out") { try !GroupTests.isIn($0) }
        }

        // Shows: told.removed
        @Test("who is removed is told what to do, gets nothing new, and all of it once in again")
        func removed() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Self.three(scratch)
            let before = try ada.send("before", to: "+ops")["id"] ?? .null
            _ = try Self.id(of: "before", at: cleo)
            let stream = try cleo.call("openStream", ["to": "+ops", "name": "beat"])["stream"]
            // Who is in is not invited again, and who is out is not removed.
            func act(_ act: String, _ person: String) throws -> String? {
                let params: JSON = [
                    "group": "+ops", "act": .string(act), "person": .string(person),
                ]
                return try Self.refusal(ada, "groupAct", params)?.reason
            }
            #expect(try act("add", "@Ben") == "inGroup" && act("add", "@me") == "inGroup")
            #expect(try act("remove", "@Cleo") == nil && act("remove", "@Cleo") == "notInGroup")
            try cleo.await("she knows") { try !GroupTests.isIn($0) }
            // Before anything is written again, which a new key comes with.
            let hearing = try ben.control()
            _ = try hearing.call("openStream", ["to": "+ops", "name": "beat", "receive": true])
            try ben.await("he knows") { try GroupTests.members($0).count == 2 }
            _ = try Self.pipe("tick", ada, "stream send +ops beat --ephemeral --member @Ben")
            try hearing.awaitEvent("the packet") { event, _ in event.method == "stream" }
            try ada.send("not for cleo", to: "+ops")
            try ben.awaitTexts(["not for cleo"], in: "+ops")
            for (method, params) in [
                ("send", ["to": "+ops", "text": "x"]), ("react", ["id": before, "sign": "+1"]),
                ("topic", ["to": "+ops"]), ("mute", ["to": "+ops"]), ("clock", ["to": "+ops"]),
                ("members", ["to": "+ops"]), ("retain", ["to": "+ops", "days": 3]),
                ("typing", ["to": "+ops"]), ("openStream", ["to": "+ops", "name": "x"]),
                ("sendStream", ["stream": stream ?? .null, "data": "AAAA"]),
                ("callSignal", ["to": "+ops", "member": "@Ben", "data": "AAAA"]),
                ("groupAct", ["group": "+ops", "act": "add", "person": "@Ben"]),
                ("leave", ["room": "+ops"]),
            ] as [(String, JSON)] {
                let error = try Self.refusal(cleo, method, params)
                #expect(
                    error?.reason == "notInGroup" && error?.remedy?.contains("admin") == true,
                    "\(method): \(error?.message ?? "it is done")")
            }
            // What she had she keeps, also to search it.
            #expect(try cleo.texts(in: "+ops") == ["before"])
            #expect(try cleo.stoa("search", "before", "--in", "+ops").contains("before"))
            let members = try cleo.call("groupInfo", ["group": "+ops"])["members"]?.arrayValue ?? []
            #expect(members.allSatisfy { $0["waiting"] == nil })
            // Another group of that name is meant where she is in that one alone.
            _ = try cleo.stoa("group", "create", "ops")
            try cleo.send("to myself", to: "+ops")
            _ = try cleo.stoa("leave", "+ops", "--yes")
            try cleo.stop()
            #expect(try !cleo.hasOnDisk("not for cleo"))
            try cleo.start()
            #expect(try !GroupTests.isIn(cleo))
            try ada.await("they are linked") {
                try $0.list("peers").count { $0["state"] == "linked" } == 2
            }
            try GroupTests.bring(cleo, to: "+ops", by: ada)
            try cleo.awaitTexts(["before", "not for cleo"], in: "+ops")
            try ada.await("she is in") { try GroupTests.members($0).count == 3 }
            _ = try cleo.stoa("send", "+ops", "back", "--wait", "delivered", "--members", "all")
            for node in [ada, ben, cleo] {
                #expect(try node.texts(in: "+ops").last == "back")
                try node.stop()
                #expect(try node.stoad("--check").exit == .code(0))
            }
        }
    }
}
