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

        @Test("stoad loads the C libraries of the system")
        func daemon() throws {
            let needed = try Self.libraries(of: "stoad")
            for library in ["libsqlite3", "libsodium", "libsystemd"] {
                #expect(needed.contains { $0.contains(library) }, "\(needed)")
            }
        }

        static func libraries(of program: String) throws -> [String] {
            try ChildProcess.run(["readelf", "-d", "\(Surroundings.programs())/\(program)"])
                .split(separator: "\n").map(String.init).filter { $0.contains("(NEEDED)") }
        }
    }
}
