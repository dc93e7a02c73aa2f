import ControlAPI
import Posix
import Testing

extension IntegrationTests {
    @Suite("clients of a locked node") struct LockedClientsTests {
        /// Reads on until a line ends so.
        private static func await(_ text: String, in tail: ChildProcess) throws {
            while let line = try tail.nextLine() {
                if line.hasSuffix(text) { return }
            }
            throw Broken("\(text) has not come")
        }

        @Test("that have begun go on after the unlock; a keyed send is one message")
        func goingOn() throws {
            let scratch = try Scratch()
            let (node, right, _) = try LockTests.node(in: scratch)
            let tail = try node.startStoa("tail", "&hiddenroom", "--from", "0")
            try Self.await(LockTests.secret, in: tail)
            let lines = try ChildProcess(
                [
                    "\(Surroundings.programs())/stoa", "--socket", node.socket, "send",
                    "&hiddenroom", "--lines",
                ], environment: node.environment, errors: node.folder + "/errors",
                wantsInput: true)
            try lines.say("before the lock")
            try Self.await("before the lock", in: tail)
            _ = try node.stoa("lock")
            try LockTests.awaitLocked(node)
            try lines.say("in the lock")
            _ = try node.stoa("send", "&hiddenroom", "--key", "k", "keyed", expecting: 67)
            _ = try node.stoa("unlock", "--passphrase-file", right)
            node.reconnect()
            try node.awaitReadiness()
            try Self.await("in the lock", in: tail)
            lines.finishInput()
            #expect(try lines.waitForExit() == .code(0))
            for _ in 0..<2 { _ = try node.stoa("send", "&hiddenroom", "--key", "k", "keyed") }
            try Self.await("keyed", in: tail)
            let history = try node.stoa("history", "&hiddenroom").split(separator: "\n")
            for text in ["before the lock", "in the lock", "keyed"] {
                #expect(history.filter { $0.hasSuffix(text) }.count == 1, "\(history)")
            }
            try node.stop()
        }

        @Test("one passphrase is tried at a time, and meanwhile the node answers")
        func tries() throws {
            let scratch = try Scratch()
            let (node, right, _) = try LockTests.node(in: scratch)
            _ = try node.stoa("lock")
            try LockTests.awaitLocked(node)
            let control = try node.control()
            for _ in 0..<2 {
                let first = try control.post("unlock", ["passphrase": "another one"])
                let second = try control.post("unlock", ["passphrase": "and another one"])
                let status = try control.post("status")
                guard case .failure(let busy)? = try control.outcome(of: second) else {
                    throw Broken("two are tried at a time")
                }
                #expect(busy.knownCode == .busy)
                #expect(try control.result(of: status)["lock"] == "locked")
                guard case .failure(let wrong)? = try control.outcome(of: first) else {
                    throw Broken("a wrong passphrase has opened the lock")
                }
                #expect(wrong.reason == "wrongPassphrase")
            }
            // However many were wrong, the right one opens.
            _ = try node.stoa("unlock", "--passphrase-file", right)
            try node.awaitReadiness()
            try node.stop()
        }
    }
}
