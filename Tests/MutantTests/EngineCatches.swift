#if MUTANTS
    @testable import EngineTests

    /// Tests of the engine that catch deliberate bugs.
    enum EngineCatches {
        static let changedRun = Catch.test("RunTests.changed") { RunTests().changed() }
        static let signatures = Catch.test("ForgedIntroductionTests.signatures") {
            try ForgedIntroductionTests().signatures()
        }
        static let otherKey = Catch.test("SessionHandshakeTests.otherKey") {
            SessionHandshakeTests().otherKey()
        }
        static let varints = Catch.test("WireReaderTests.badVarints") {
            WireReaderTests().badVarints(bytes: [0x80, 0x00])
        }
        static let withheld = Catch.test("CodecPropertyTests.withheld") {
            try CodecPropertyTests().withheld()
        }
    }
#endif
