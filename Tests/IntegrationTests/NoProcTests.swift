import Testing

extension IntegrationTests {
    @Suite("a system without /proc", Surroundings.labs) struct NoProcTests {
        @Test(
            "has programs do what their arguments say, and never what nobody has asked for",
            arguments: [
                ("stoad --version", "stoad ", 0), ("stoa --version", "stoa ", 0),
                ("stoad --nonsense", "", 64), ("stoa --nonsense", "", 64),
            ] as [(String, String, Int32)])
        func asked(arguments: String, output: String, code: Int32) throws {
            let child = try ChildProcess([
                "unshare", "--mount", "--net", "/bin/sh", "-c",
                "mount -t tmpfs none /proc && exec \(Surroundings.programs())/\(arguments)",
            ])
            let printed = try child.rest()
            #expect(output.isEmpty ? printed.isEmpty : printed.hasPrefix(output))
            #expect(try child.waitForExit() == .code(code))
        }
    }
}
