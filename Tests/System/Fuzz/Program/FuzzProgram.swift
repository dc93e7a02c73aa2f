import Glibc
import TestSupport

/// libFuzzer as a library, FuzzerInterface.h.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

enum FuzzProgram {
    // Set once before libFuzzer starts; one thread runs the targets.
    nonisolated(unsafe) private static var target: FuzzTarget?

    static func main() -> Never {
        let arguments = CommandLine.arguments.dropFirst()
        SteadyRandom.install()
        switch arguments.first {
        case "--list":
            for target in FuzzTarget.all { print(target.name, target.longest) }
            exit(0)
        case "--replay":
            self.choose(arguments.dropFirst().first)
            self.replay(arguments.dropFirst(2))
        case "--verdicts": Verdicts.serve()
        default: self.fuzz()
        }
    }

    private static func choose(_ name: String?) {
        guard let target = name.flatMap(FuzzTarget.named) else {
            self.end("name a target, one of those that --list names")
        }
        self.target = target
    }

    private static func end(_ words: String) -> Never {
        self.say("Fuzz: \(words)")
        exit(64)
    }

    private static func say(_ words: String) {
        let line = Array((words + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// Runs the target; a finding is a crash, as libFuzzer knows them.
    static func runTarget(_ bytes: [UInt8]) {
        do {
            _ = try self.target?.run(bytes)
        } catch {
            self.say("FINDING: \(error)")
            abort()
        }
    }

    /// Says to the processes that libFuzzer starts, with its own arguments only, which target it is.
    private static let variable = "STOA_FUZZ_TARGET"

    private static func fuzz() -> Never {
        var kept: [UnsafeMutablePointer<CChar>?] = []
        if let name = getenv(Self.variable) {
            self.choose(String(cString: name))
            kept = CommandLine.arguments.map { strdup($0) }
        } else {
            let name = CommandLine.arguments.dropFirst().first
            self.choose(name)
            setenv(Self.variable, name ?? "", 1)
            for (index, argument) in CommandLine.arguments.enumerated() where index != 1 {
                kept.append(strdup(argument))
            }
        }
        var count = Int32(kept.count)
        kept.append(nil)
        let code = kept.withUnsafeMutableBufferPointer { buffer in
            guard var arguments = buffer.baseAddress else { return Int32(70) }
            return runDriver(&count, &arguments) { testOneInput($0, $1) }
        }
        exit(code)
    }

    private static func replay(_ paths: ArraySlice<String>) -> Never {
        var accepted = 0
        for path in paths {
            guard let bytes = TestFiles.read(path) else { self.end("\(path) cannot be read") }
            SteadyRandom.restart()
            do {
                if case .accepted? = try self.target?.run(bytes) { accepted += 1 }
            } catch {
                self.say("FINDING: \(path): \(error)")
                exit(1)
            }
        }
        print("\(paths.count) inputs, \(accepted) of them accepted")
        exit(0)
    }
}
