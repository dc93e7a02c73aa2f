import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("a disk that takes no writes") struct ReadOnlyDiskTests {
        /// Has the next daemons see the data of a node on a read-only file system.
        private static func makeReadOnly(_ node: Node) {
            let script =
                "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\""
            node.wrap(in: ["unshare", "--mount", "sh", "-c", script, node.dataDirectory])
        }

        @Test(
            "is read: history, search, conversations; what writes is refused with what to do",
            Surroundings.labs, arguments: [false, true])
        func reading(isKilled: Bool) throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("node", in: scratch)
            try node.start()
            try node.join("agora")
            try node.send("written in better times", to: "agora")
            let identity = try node.identity()
            if isKilled { try node.kill() } else { try node.stop() }
            // One that was killed leaves its write-ahead log, in which the message is.
            #expect(Files.exists(node.dataDirectory + "/stoa.db-wal") == isKilled)
            Self.makeReadOnly(node)
            try node.start()
            #expect(try node.identity() == identity)
            #expect(try node.texts(in: "agora") == ["written in better times"])
            #expect(try node.stoa("history", "agora").contains("better times"))
            #expect(try node.stoa("search", "better").contains("written in better times"))
            #expect(try node.stoa("conversations").contains("agora"))
            for (method, params) in [
                ("send", ["to": "agora", "text": "now"]), ("join", ["room": "lab"]),
                ("mute", ["to": "agora"]),
            ] as [(String, JSON)] {
                let control = try node.control()
                let outcome = try control.outcome(of: control.post(method, params))
                guard case .failure(let error)? = outcome else {
                    throw Broken("\(method) is not refused\n\(node.log)")
                }
                #expect(error.knownCode == .storageFailed, "\(method): \(error)")
                #expect(error.message.contains("read-only file system"), "\(error)")
                #expect(error.message.contains(node.dataDirectory), "\(error)")
                let remedy = try #require(error.remedy)
                #expect(remedy.contains("remount,rw \(node.dataDirectory);"), "\(error)")
            }
            #expect(try node.stoa("status").contains("read-only file system"))
            let found = try node.stoa("doctor", expecting: 2)
            #expect(found.contains("read-only file system") && found.contains("remount,rw"))
            try node.stop()
            node.wrap(in: [])
            try node.start()
            try node.send("and it goes on", to: "agora")
            #expect(
                try node.texts(in: "agora") == ["written in better times", "and it goes on"])
            try node.stop()
            #expect(try node.stoad("--check").exit == .code(0))
        }

        @Test("a daemon that cannot start leaves why to the doctor until it can")
        func lastWords() throws {
            let scratch = try Scratch()
            let node = try Node.onLoopback("node", in: scratch)
            try node.start()
            try node.stop()
            let database = node.dataDirectory + "/stoa.db"
            _ = try ChildProcess.run(["mv", database, database + ".away"])
            _ = try ChildProcess.run(["sh", "-c", "echo nothing > \(database)"])
            try node.launch()
            #expect(try node.awaitReadinessOrExit() == .code(65))
            let found = try node.stoa("doctor", expecting: 2)
            #expect(found.contains("could not start: \(database)"), "\(found)")
            #expect(found.contains("stoad --check"))
            _ = try ChildProcess.run(["mv", database + ".away", database])
            try node.start()
            #expect(!Files.exists(node.socket + ".failed"))
        }
    }
}
