import Testing

extension IntegrationTests {
    @Suite("a system without /proc", Surroundings.labs) struct NoProcTests {
        @Test(
            "has programs refuse to run, who cannot read what they are asked to do",
            arguments: [("stoad --check-config", 64), ("stoad", 64), ("stoa --version", 70)]
                as [(String, Int32)])
        func refused(arguments: String, code: Int32) throws {
            let child = try ChildProcess([
                "unshare", "--mount", "--net", "/bin/sh", "-c",
                "mount -t tmpfs none /proc && exec \(Surroundings.programs())/\(arguments)",
            ])
            #expect(try child.rest() == "")
            #expect(try child.waitForExit() == .code(code))
        }
    }
}
