import Testing

extension IntegrationTests {
    @Suite("the programs") struct LinkingTests {
        @Test("stoa loads neither SQLite, libsodium, libsystemd nor Avahi")
        func commandLine() throws {
            let needed = try Self.libraries(of: "stoa")
            for library in ["sqlite", "sodium", "systemd", "avahi", "dns_sd", "dbus"] {
                #expect(!needed.contains { $0.contains(library) }, "\(needed)")
            }
        }

        @Test("stoad loads the C libraries of the system, and OpenSSL only for large files")
        func daemon() throws {
            let needed = try Self.libraries(of: "stoad")
            for library in ["libsqlite3", "libsodium", "libsystemd"] {
                #expect(needed.contains { $0.contains(library) }, "\(needed)")
            }
            #expect(!needed.contains { $0.contains("libcrypto") }, "\(needed)")
        }

        @Test("no program holds a deliberate bug", arguments: ["stoad", "stoa"])
        func deliberateBugs(program: String) throws {
            let path = "\(try Surroundings.programs())/\(program)"
            #expect(try DeliberateBugs.names().count >= 10)
            #expect(try DeliberateBugs.found(in: path) == [])
            // Nor their type, by its symbol; what is there is found.
            #expect(try DeliberateBugs.found(["6MutantO"], in: path) == [])
            #expect(try DeliberateBugs.found(["Usage", "usage"], in: path) != [])
        }

        static func libraries(of program: String) throws -> [String] {
            try ChildProcess.run(["readelf", "-d", "\(Surroundings.programs())/\(program)"])
                .split(separator: "\n").map(String.init).filter { $0.contains("(NEEDED)") }
        }
    }
}
