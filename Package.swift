// swift-tools-version: 6.2
import PackageDescription

/// One list for every target; no target opts out.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
    // The deliberate bugs (`Sources/Formats/Mutant.swift`) are in every debug build, switched off, so
    // that they need no build of their own. No release program holds them.
    .define("MUTANTS", .when(configuration: .debug)),
    // Each function in a section of its own, so that the linker leaves out those that nobody calls.
    .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// The functions that libFuzzer calls, and what calls them: the tests, which replay what is kept of
/// earlier runs, or, where the variable is set, a program around libFuzzer (`Tests/System/Fuzz/run.sh`).
///
/// No product holds them, and an ordinary build does not know of the program.
func fuzzing(_ dependencies: [Target.Dependency]) -> Target {
    let kept = [
        "Corpus", "Seeds", "FailCases", "Dictionaries", "README.md", "Tools", "build.sh",
        "check.sh", "run.sh",
    ]
    if Context.environment["STOA_FUZZ"] != nil {
        let program = "Fuzz"
        return .executableTarget(
            name: program, dependencies: dependencies + ["CSodium"], path: "Tests/System/Fuzz",
            exclude: kept + ["Replay"], swiftSettings: strict)
    }
    return .testTarget(
        name: "FuzzTests", dependencies: dependencies, path: "Tests/System/Fuzz",
        exclude: kept + ["Program"], swiftSettings: strict)
}

let package = Package(
    name: "stoa",
    products: [
        .executable(name: "stoad", targets: ["stoad"]),
        .executable(name: "stoa", targets: ["stoa"]),
        .executable(name: "stoa-chat", targets: ["stoa-chat"]),
        .executable(name: "stoa-notify", targets: ["stoa-notify"]),
        .executable(name: "stoa-web", targets: ["stoa-web"]),
        .executable(name: "stoa-sites", targets: ["stoa-sites"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CMicroHTTP", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        // Loaded when it is needed, not linked; its shim.h says why.
        .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),
        // Likewise.
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        // No pkg-config: it adds only definitions, which the package manager warns about.
        .systemLibrary(name: "CCurses", providers: [.apt(["libncurses-dev"])]),
        // Likewise.
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-core-dev"])]),
        .target(name: "CLinux"),
        // In C, because SQLite calls it with pointers to structures that it allocates.
        .target(name: "CPages", dependencies: ["CSQLite"]),
        // A table in C is read where it lies, and costs no memory until a name needs it.
        .target(name: "CConfusables"),
        .target(name: "CWords"),
        // The page, file by file, as constants.
        .target(name: "CPage", exclude: ["Page"]),

        // How letters are compared, whatever they are compared for.
        library("Letters", []),
        library("Crypto", ["COpenSSL", "CSodium"]),
        // What bytes mean: frames, entries, records, files, backups, invitations. It decides nothing.
        library("Formats", ["CWords", "Crypto", "Letters"]),
        library("Engine", ["CConfusables", "Crypto", "Formats", "Letters"]),
        library("ControlAPI", ["Letters"]),
        library("Posix", ["CLinux"]),
        library("ControlClient", ["ControlAPI", "Posix"]),
        // What a machine says of itself to those who ask what is wrong: the command, and the daemon.
        library("Doctor", ["ControlAPI", "Posix"]),
        // sd-event and sd-daemon, apart from Posix because the `stoa` command uses Posix and may
        // not load libsystemd. The target is not called EventLoop because its main type is.
        library("Loop", ["CLinux", "CSystemd", "Posix"]),
        // All that `stoa chat` decides.
        library("Chat", ["ControlAPI", "Letters"]),
        library("Screen", ["CCurses", "Chat"]),
        // All that `stoa-notify` decides.
        library("Notifications", ["ControlAPI", "ControlClient"]),
        // A program with an event loop calls the daemon.
        library("DaemonCalls", ["ControlAPI", "ControlClient", "Loop", "Posix"]),
        // All that `stoa-sites` decides.
        library("Sites", ["ControlAPI"]),
        // All that `stoa-web` decides.
        library("Web", ["CPage", "ControlAPI"]),
        library("Storage", ["Engine", "Formats", "CPages", "CSQLite"]),
        library("Blobs", ["Crypto", "Engine", "Formats", "Posix"]),
        library("Discovery", ["Loop", "Posix", "CDNSSD", "CAvahi"]),
        library(
            "Daemon",
            [
                "Blobs", "ControlAPI", "Crypto", "Discovery", "Doctor", "Engine", "Formats", "Loop",
                "Posix",
                "Storage",
            ]),
        library("Simulation", ["Engine", "Formats", "Crypto"]),
        .executableTarget(name: "stoad", dependencies: ["Daemon"], swiftSettings: strict),
        .executableTarget(
            name: "stoa",
            dependencies: ["ControlAPI", "ControlClient", "Doctor", "Letters", "Posix"],
            swiftSettings: strict),
        // The screen of `stoa chat`, apart so that no other command loads its library.
        .executableTarget(
            name: "stoa-chat",
            dependencies: ["Chat", "ControlAPI", "ControlClient", "Posix", "Screen"],
            swiftSettings: strict),

        .executableTarget(
            name: "stoa-notify",
            dependencies: ["ControlAPI", "ControlClient", "Loop", "Notifications", "Posix"],
            swiftSettings: strict),

        // The page in the browser: its server, and the way from the browser to the daemon.
        .executableTarget(
            name: "stoa-web",
            dependencies: [
                "CMicroHTTP", "ControlAPI", "ControlClient", "DaemonCalls", "Loop", "Posix", "Web",
            ],
            swiftSettings: strict),

        // Rooms that several sites share, over NATS servers; the only program that links libnats.
        .executableTarget(
            name: "stoa-sites",
            dependencies: [
                "CNATS", "ControlAPI", "ControlClient", "DaemonCalls", "Loop", "Posix", "Sites",
            ],
            swiftSettings: strict),

        // For `make sim`; never installed.
        .executableTarget(
            name: "simulate", dependencies: ["Simulation"], swiftSettings: strict),

        // What the tests of several modules share: files, folders, boxes, a seeded generator.
        .target(
            name: "TestSupport", dependencies: ["ControlAPI"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("Crypto", ["Crypto"], exclude: ["Vectors/generate.py"]),
        tests(
            "Engine", ["Engine", "Crypto", "Formats", "Letters", "TestSupport"],
            exclude: ["Vectors", "Groups/Cases.txt", "Groups/EpochCases.txt"]),
        tests("ControlAPI", ["ControlAPI", "Posix", "TestSupport"]),
        tests(
            "ControlClient",
            ["ControlAPI", "ControlClient", "Doctor", "Letters", "Posix", "TestSupport", "stoa"],
            exclude: ["Golden"]),
        tests("Chat", ["Chat", "ControlAPI", "Letters", "TestSupport"]),
        tests("Notifications", ["ControlAPI", "ControlClient", "Notifications"]),
        tests("Web", ["ControlAPI", "Web"]),
        tests("Sites", ["ControlAPI", "Sites"]),
        tests("Posix", ["Posix", "TestSupport"]),
        tests("Loop", ["Loop", "Posix", "TestSupport"]),
        tests(
            "Storage", ["Storage", "CPages", "CSQLite", "Engine", "Formats", "TestSupport"],
            exclude: ["Version1.sql"]),
        tests("Blobs", ["Blobs", "Engine", "Formats", "Crypto", "Posix", "TestSupport"]),
        tests("Discovery", ["Discovery", "Loop", "Posix", "TestSupport"]),
        tests(
            "Daemon",
            ["Daemon", "ControlAPI", "Formats", "Letters", "Loop", "Posix", "TestSupport"],
            exclude: ["Golden"]),
        tests("Simulation", ["Simulation", "Engine", "Formats", "Posix"]),
        // Runs tests of others with a deliberate bug on.
        tests(
            "Mutant",
            [
                "Engine", "Formats", "Simulation", "EngineTests", "IntegrationTests",
                "SimulationTests",
                "StorageTests",
            ]),
        fuzzing([
            "ControlAPI", "Daemon", "Discovery", "Engine", "Crypto", "Formats", "Posix",
            "TestSupport", "Web",
        ]),
        tests("Repository", ["TestSupport"]),
        tests(
            "Integration",
            [
                "ControlAPI", "Engine", "Formats", "Crypto", "Posix", "Storage", "TestSupport",
                "stoa",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// A build under a sanitizer is for some of the tests only, and what it does not compile it need not wait
// for (`Tests/System/Tools/check.sh`): these tests and what they need.
if let chosen = Context.environment["STOA_TESTS"]?.split(separator: ",").map({ "\($0)Tests" }) {
    var needed: Set<String> = []
    var open = chosen
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for target in package.targets where target.name == name {
            for case .byNameItem(let other, _) in target.dependencies { open.append(other) }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
