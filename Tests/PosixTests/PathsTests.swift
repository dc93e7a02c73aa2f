import Glibc
import Posix
import TestSupport
import Testing

@Suite struct PathsTests {
    @Test("the variables of the XDG specification name the directories")
    func variables() throws {
        let paths = Paths(
            environment: [
                "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c/", "XDG_STATE_HOME": "/s",
                "XDG_RUNTIME_DIR": "/r", "HOME": "/h",
            ], userID: 1)
        #expect(try paths.dataDirectory() == "/d/stoa")
        #expect(try paths.configurationFile() == "/c/stoa/stoad.conf")
        #expect(try paths.stateDirectory() == "/s/stoa")
        #expect(try paths.controlSocket() == "/r/stoa/control.sock")
    }

    @Test(
        "without them, or with relative ones, the places in the home directory count",
        arguments: [["HOME": "/h"], ["HOME": "/h", "XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": ""]])
    func home(environment: [String: String]) throws {
        let paths = Paths(environment: environment, userID: 1)
        #expect(try paths.dataDirectory() == "/h/.local/share/stoa")
        #expect(try paths.configurationDirectory() == "/h/.config/stoa")
        #expect(try paths.stateDirectory() == "/h/.local/state/stoa")
    }

    @Test("with neither, the error names the variable to set")
    func neither() {
        let paths = Paths(environment: ["HOME": "relative"], userID: 1)
        let error = #expect(throws: PathError.self) { _ = try paths.dataDirectory() }
        #expect(error == .noHome(variable: "XDG_DATA_HOME"))
        #expect(error?.description.contains("XDG_DATA_HOME") == true)
    }

    @Test("without a runtime directory the one of the user id serves, if it is there and ours")
    func runtimeFallback() throws {
        let directory = try TestFolder()
        let user = geteuid()
        let paths = Paths(environment: [:], userID: user, runtimeRoot: directory.path)
        let error = #expect(throws: PathError.self) { _ = try paths.controlSocket() }
        #expect(error == .noRuntimeDirectory(tried: directory("\(user)")))
        #expect(error?.description.contains("--socket") == true)
        try #require(mkdir(directory("\(user)"), 0o700) == 0)
        #expect(try paths.controlSocket() == directory("\(user)/stoa/control.sock"))
        try #require(mkdir(directory("\(user + 1)"), 0o700) == 0)
        let stranger = Paths(environment: [:], userID: user + 1, runtimeRoot: directory.path)
        #expect(throws: PathError.self) { _ = try stranger.runtimeDirectory() }
    }

    @Test("the environment of the process can be read")
    func environment() {
        #expect(
            ProcessEnvironment.variables()["PATH"] == ProcessEnvironment.variable("PATH"))
        #expect(ProcessEnvironment.variable("STOA_NO_SUCH_VARIABLE") == nil)
        #expect(ProcessEnvironment.userID == geteuid())
        #expect(ProcessEnvironment.userName()?.isEmpty != true)
    }
}
