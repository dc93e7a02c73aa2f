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
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "stoa",
    products: [
        .executable(name: "stoad", targets: ["stoad"]),
        .executable(name: "stoa", targets: ["stoa"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        // Loaded when it is needed, not linked; its shim.h says why.
        .systemLibrary(name: "CDNSSD", providers: [.apt(["libavahi-compat-libdnssd-dev"])]),
        // No pkg-config: it adds only -D_REENTRANT, which the package manager warns about.
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-core-dev"])]),
        .target(name: "CLinux"),

        library("Noise", ["CSodium"]),
        library("Engine", ["Noise"]),
        library("ControlAPI", []),
        library("Posix", ["CLinux"]),
        // sd-event and sd-daemon, apart from Posix because the `stoa` command uses Posix and may
        // not load libsystemd. The target is not called EventLoop because its main type is.
        library("Loop", ["CLinux", "CSystemd", "Posix"]),
        library("Storage", ["Engine", "CSQLite"]),
        library("Discovery", ["Loop", "Posix", "CDNSSD", "CAvahi"]),
        library(
            "Daemon",
            ["ControlAPI", "Discovery", "Engine", "Loop", "Noise", "Posix", "Storage"]),
        library("Simulation", ["Engine", "Noise"]),
        .executableTarget(name: "stoad", dependencies: ["Daemon"], swiftSettings: strict),
        .executableTarget(
            name: "stoa", dependencies: ["ControlAPI", "Posix"], swiftSettings: strict),

        // For `make sim`; never installed.
        .executableTarget(
            name: "simulate", dependencies: ["Simulation"], swiftSettings: strict),

        tests("Noise", ["Noise"], exclude: ["Vectors/generate.py"]),
        tests("Engine", ["Engine", "Noise"], exclude: ["Vectors"]),
        tests("ControlAPI", ["ControlAPI", "Posix", "stoa"]),
        tests("Posix", ["Posix"]),
        tests("Loop", ["Loop", "Posix"]),
        tests("Storage", ["Storage", "Engine"]),
        tests("Discovery", ["Discovery", "Loop", "Posix"]),
        tests("Daemon", ["Daemon", "ControlAPI", "Loop", "Posix"]),
        tests("Simulation", ["Simulation", "Engine", "Posix"]),
        tests("Repository", []),
        tests("Integration", ["ControlAPI", "Posix"]),
    ],
    swiftLanguageModes: [.v6]
)
