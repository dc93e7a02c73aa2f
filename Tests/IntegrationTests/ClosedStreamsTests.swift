import Posix
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
            "a preloaded library that changes the environment hides no arguments",
            arguments: ["stoad", "stoa", "stoa-chat"])
        func preloaded(program: String) throws {
            let scratch = try Scratch()
            let source = scratch.path + "/changes.c"
            let library = scratch.path + "/changes.so"
            try Files.writeAtomically(
                Array(
                    """
                    #include <stdlib.h>
                    __attribute__((constructor)) static void change(void) {
                        for (char name[2] = "A"; name[0] <= 'Z'; name[0]++) setenv(name, "changed", 1);
                    }

                    """.utf8), to: source)
            let compiler = try ChildProcess(
                ["/bin/sh", "-c", "cc -shared -fPIC -o \(library) \(source) 2>&1"])
            let said = try compiler.rest()
            try #require(try compiler.waitForExit() == .code(0), "\(said)")
            let child = try ChildProcess(
                [
                    "/bin/sh", "-c",
                    "LD_PRELOAD=\(library) exec \(Surroundings.programs())/\(program) --version 2>&1",
                ])
            let version = try child.rest()
            #expect(try child.waitForExit() == .code(0), "\(version)")
            #expect(version.hasPrefix(program))
        }

        @Test(
            "the programs that stoa starts say who starts them, and refuse other options",
            arguments: [
                ("stoa-chat --help", 0), ("stoa-chat --version", 0), ("stoa-chat --bogus", 64),
                ("stoa-chat", 64), ("stoa-notify --help", 0), ("stoa-notify --version", 0),
                ("stoa-web --help", 0), ("stoa-web --version", 0), ("stoa-web --bogus", 64),
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
