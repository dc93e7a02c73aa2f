import Testing

/// What fuzzing has kept, given to the same functions without a fuzzer.
@Suite("Inputs that fuzzing has kept")
struct ReplayTests {
    private static let names = FuzzTarget.all.map(\.name)

    @Test("break no promise; some are taken and some refused", arguments: Self.names)
    func corpus(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try #require(KeptInputs.corpus(of: name), "\(name) has no corpus")
        var verdicts: [Verdict: Int] = [:]
        for (index, input) in inputs.enumerated() {
            do {
                verdicts[try target.run(input), default: 0] += 1
            } catch {
                Issue.record("line \(index + 1) of Corpus/\(name).hex: \(error)")
            }
        }
        #expect(verdicts[.accepted, default: 0] > 0)
        #expect(verdicts[.refused, default: 0] > 0)
    }

    @Test("that once went wrong go right", arguments: Self.names)
    func failCases(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for (file, bytes) in KeptInputs.failCases(of: name) {
            #expect(throws: Never.self, "FailCases/\(name)/\(file)") { _ = try target.run(bytes) }
        }
    }

    @Test("belong to a target, and every target has a dictionary")
    func complete() {
        #expect(Self.names.sorted() == Set(Self.names).sorted())
        #expect(KeptInputs.names(in: "Corpus") == Self.names.map { "\($0).hex" }.sorted())
        #expect(KeptInputs.names(in: "Dictionaries") == Self.names.map { "\($0).dict" }.sorted())
        // `Engine` are those of before there were targets (FailCaseTests).
        let folders = Set(KeptInputs.names(in: "FailCases")).subtracting(["Engine"])
        #expect(folders.isSubset(of: Self.names))
    }
}
