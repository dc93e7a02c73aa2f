import ControlAPI
import Posix
import TestSupport
import Testing

extension IntegrationTests {
    @Suite("a backup") struct BackupTests {
        @Test(
            "brings back who one is, with the picture, where nobody else is there to have kept it")
        func alone() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            let picture = scratch.path + "/ada.png"
            let content = [0x89] + Array("PNG\r\n\u{1a}\nthis is how I look".utf8)
            try Files.writeAtomically(content, to: picture)
            _ = try ada.stoa("profile", "--status", "in the stoa", "--picture", picture)
            let (file, phrase) = (scratch.path + "/ada.backup", scratch.path + "/phrase")
            let made = try ada.call("backup", ["file": .string(file)])
            let words = try #require(made["phrase"]?.stringValue)
            try Files.writeAtomically(Array((words + "\n").utf8), to: phrase, mode: 0o600)
            try ada.stop()

            let new = try Node.onLoopback("new", in: scratch)
            try new.start()
            #expect(try new.stoa("restore", file, "--phrase-file", phrase).contains("you are Ada"))
            func check(_ number: Int) throws {
                try new.await("the profile is back") { node in
                    try node.call("profile")["picture"]?["type"] == "png"
                }
                let profile = try new.call("profile")
                #expect(profile["name"] == "Ada" && profile["status"] == "in the stoa")
                let saved = scratch.path + "/saved-\(number).png"
                _ = try new.stoa("picture", "-o", saved)
                #expect(TestFiles.read(saved) == content)
            }
            try check(1)
            try new.stop()
            try new.start()
            try check(2)
        }

        @Test("is no success where its phrase could not be shown; a secret room has an invitation")
        func untold() throws {
            let scratch = try Scratch()
            let ada = try Node.onLoopback("Ada", in: scratch)
            try ada.start()
            let file = scratch.path + "/ada.backup"
            _ = try ada.stoa("backup", file)
            let content = TestFiles.read(file)
            func run(_ words: String) throws -> ChildProcess.Exit {
                let stoa = "\(try Surroundings.programs())/stoa --socket \(ada.socket)"
                return try ChildProcess(
                    ["/bin/sh", "-c", "exec \(stoa) \(words)"], environment: ada.environment
                ).waitForExit()
            }
            for words in ["backup \(file)", "--json backup \(file)"] {
                #expect(try run("\(words) >/dev/full") == .code(74))
                #expect(try run("\(words) >&-") == .code(74))
            }
            #expect(try run("create war --secret >/dev/full") == .code(0))
            #expect(try run("create law --secret >&-") == .code(0))
            #expect(TestFiles.read(file) == content)
            #expect(try ada.stoa("invite", "war").contains("stoa:"))
            try ada.stop()
        }

        // Shows: file.backup
        @Test("restored while the old node runs makes two devices of one person, and no fork")
        func restored() throws {
            let scratch = try Scratch()
            let (ada, ben, cleo) = try Node.three(in: "agora", scratch)
            for node in [ada, ben, cleo] {
                try node.await("all know one another") { node in
                    try Set(node.list("peers").compactMap { $0["name"]?.stringValue }).count == 2
                }
            }
            let (file, phrase) = (scratch.path + "/ada.backup", scratch.path + "/phrase")
            try ada.know("@ben")
            try ben.know("@ada")
            _ = try ada.stoa("send", "@ben", "for-ben-alone")
            try ben.await("it has come") { try $0.texts(in: "@ada") == ["for-ben-alone"] }
            let made = try ada.call("backup", ["file": .string(file)])
            let words = try #require(made["phrase"]?.stringValue)
            try Files.writeAtomically(Array((words + "\n").utf8), to: phrase, mode: 0o600)
            _ = try ada.stoa("send", "agora", "after-the-backup")

            let new = try Node.onLoopback(
                "new", in: scratch, peers: [try ben.address(), try cleo.address()])
            try new.start()
            let said = try new.stoa("restore", file, "--phrase-file", phrase)
            #expect(said.contains("you are Ada again") && said.contains("are lost"))
            let states = try [ada.call("status"), new.call("status")]
            #expect(
                states[0]["person"] == states[1]["person"] && states[0]["id"] != states[1]["id"])

            // Both go on, in rooms and with one person, and everybody has the same.
            try new.await("the room's past is there") { node in
                try node.texts(in: "agora").contains("after-the-backup")
            }
            try new.await("what was said with one person is there") { node in
                try node.texts(in: "@ben") == ["for-ben-alone"]
            }
            _ = try ada.stoa("send", "agora", "from-the-old", "--wait", "sent")
            _ = try new.stoa("send", "agora", "from-the-new", "--wait", "sent")
            _ = try new.stoa("send", "@ben", "it-is-me-still")
            let all = [ada, ben, cleo, new]
            for node in all {
                try node.await("all of it") { node in
                    try Set(["from-the-old", "from-the-new"]).isSubset(of: node.texts(in: "agora"))
                }
            }
            for (node, other) in [(ada, "@ben"), (ben, "@ada"), (new, "@ben")] {
                try node.await("both texts") { node in
                    try node.texts(in: other) == ["for-ben-alone", "it-is-me-still"]
                }
            }
            // What the user wrote with the other device is not unread.
            for node in [ada, new] {
                let direct = try node.list("conversations").first { $0["kind"] == "direct" }
                #expect(direct?["unread"] == 0)
            }
            // To those who know them both devices are the one person; both devices are told.
            let people = try ben.list("people")
            #expect(people.count == 2 && people.allSatisfy { $0["tier"] == "known" })
            #expect(try ben.call("status")["alerts"] == [])
            for node in [ada, new] {
                try node.await("told of the other") { node in
                    try node.call("status")["alerts"]?.arrayValue?.map { $0["code"] }
                        == ["otherDevice"]
                }
            }
            // Names come after texts.
            try ada.await("the same is shown everywhere") { _ in
                try Set(all.map { try $0.stoa("history", "agora") }).count == 1
            }
            for node in all { try node.stop() }
            for node in all { #expect(try node.stoad("--check").exit == .code(0)) }
            #expect(try !new.hasOnDisk(words))
        }
    }
}
