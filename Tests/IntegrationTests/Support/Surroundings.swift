import Glibc
import Posix
import Testing

/// What these tests find around them.
enum Surroundings {
    /// Where the programs are: named by the Makefile, else beside the tests.
    static func programs(
        named: String? = ProcessEnvironment.variable("STOA_PROGRAMS")
    ) throws -> String {
        if let named { return named }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { throw Broken("/proc/self/exe cannot be read") }
        var folder = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // `swift test` runs the tests from the folder of the programs, or loads them from a tool.
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            folder = argument
        }
        // Whole, since some programs are started in another folder.
        guard let whole = realpath(folder, nil) else { throw Broken("\(folder) is not there") }
        defer { free(whole) }
        return Files.parent(of: String(cString: whole))
    }

    /// The folder with Package.swift.
    static let project: String = {
        let here = #filePath.split(separator: "/").dropLast(4)
        return "/" + here.joined(separator: "/")
    }()

    static let isRoot = geteuid() == 0
    /// Set where a skipped test is a failure.
    static let mayNotSkip = ProcessEnvironment.variable("STOA_NO_SKIP") == "1"
    /// Set for longer runs.
    static let isLong = ProcessEnvironment.variable("STOA_LONG") == "1"

    /// A number that is asked for, such as `KILLS=5000`; else the one for long or short runs.
    static func number(_ name: String, long: Int, short: Int) -> Int {
        ProcessEnvironment.variable(name).flatMap { Int($0) } ?? (Self.isLong ? long : short)
    }

    /// Runs a test where there is a C compiler; elsewhere skips it, or fails where that is forbidden.
    static let compiler = ConditionTrait.enabled(
        if: Self.mayNotSkip
            || (try? ChildProcess.run(["sh", "-c", "command -v cc || command -v clang"])) != nil,
        "needs a C compiler: Tests/System/Tools/setup.sh --labs")

    /// Runs a test where gcore is, and may dump what forbids it to others.
    static let gcore = ConditionTrait.enabled(
        if: Self.mayNotSkip || (Self.isRoot && Files.exists("/usr/bin/gcore")),
        "needs root, and gdb: Tests/System/Tools/setup.sh --labs")

    /// Runs a test where a desktop's keyring can be started on a bus of its own.
    static let keyring = ConditionTrait.enabled(
        if: Self.mayNotSkip
            || ["dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"].allSatisfy {
                Files.exists("/usr/bin/" + $0)
            },
        "needs gnome-keyring, libsecret-tools and dbus: Tests/System/Tools/setup.sh --test")

    /// Runs a test where a bus of the system can be played, and who is on it.
    static let systemBus = ConditionTrait.enabled(
        if: Self.mayNotSkip
            || Files.exists("/usr/bin/dbus-daemon")
                && (try? ChildProcess.run(["/usr/bin/python3", "-c", "import dbus, gi"])) != nil,
        "needs dbus, python3-dbus and python3-gi: Tests/System/Tools/setup.sh --test")

    /// Runs tests where a server of NATS is.
    static let nats = ConditionTrait.enabled(
        if: Self.mayNotSkip
            || ["/usr/sbin/", "/usr/bin/"].contains { Files.exists($0 + "nats-server") },
        "needs nats-server: Tests/System/Tools/setup.sh --labs")

    private static let canRunLabs: Bool = {
        guard Self.isRoot else { return false }
        let isInstalled = ["ip", "nsenter", "avahi-daemon", "dbus-daemon", "strace"].allSatisfy {
            tool in
            ["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"].contains { Files.exists($0 + tool) }
        }
        // Root of a container may be forbidden to make namespaces.
        let make = ["unshare", "--mount", "--net", "--pid", "--fork", "true"]
        return isInstalled && (try? ChildProcess.run(make)) != nil
    }()

    /// Runs a test where labs can be made; elsewhere skips it, or fails where that is forbidden.
    static let labs = ConditionTrait.enabled(
        if: Self.mayNotSkip || Self.canRunLabs,
        "needs root that may make namespaces, and the packages of: Tests/System/Tools/setup.sh --labs"
    )
}

/// One after the other: the machine is shared, and some measure time.
@Suite(.serialized) enum IntegrationTests {}
