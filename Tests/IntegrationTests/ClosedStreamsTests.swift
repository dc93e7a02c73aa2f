import Testing

extension IntegrationTests {
    /// With the real program: in the process of a test the descriptors that are closed here would be
    /// taken by the threads of others.
    @Suite("standard streams that are closed") struct ClosedStreamsTests {
        @Test(
            "end a command with an error and not with a crash",
            arguments: [
                ("--help >&-", 74), ("send ops - <&-", 74), ("nonsense <&- >&- 2>&-", 64),
            ] as [(String, Int32)])
        func closed(arguments: String, code: Int32) throws {
            let child = try ChildProcess(
                ["/bin/sh", "-c", "exec \(Surroundings.programs())/stoa \(arguments)"])
            #expect(try child.waitForExit() == .code(code))
        }

        @Test(
            "the programs that stoa starts say who starts them, and refuse other options",
            arguments: [
                ("stoa-chat --help", 0), ("stoa-chat --version", 0), ("stoa-chat --bogus", 64),
                ("stoa-chat", 64), ("stoa-notify --help", 0), ("stoa-notify --version", 0),
                ("stoa-notify --bogus", 64), ("stoa-notify --socket=", 64),
            ] as [(String, Int32)])
        func started(words: String, code: Int32) throws {
            let child = try ChildProcess(
                ["/bin/sh", "-c", "exec \(Surroundings.programs())/\(words) 2>&1"])
            let said = try child.rest()
            #expect(try child.waitForExit() == .code(code))
            let name = words.prefix { $0 != " " }
            #expect(code != 0 || said.contains(name))
        }

        @Test("arguments that are no UTF-8 are refused, and nothing is made of them")
        func garbled() throws {
            let child = try ChildProcess([
                "/bin/sh", "-c",
                "exec \(Surroundings.programs())/stoa send ops text --key \"$(printf 'job-\\344')\" 2>&1",
            ])
            let said = try child.rest()
            #expect(try child.waitForExit() == .code(65))
            #expect(said.contains("an argument is not UTF-8: job-"))
        }
    }
}
