#if MUTANTS
    @testable import StorageTests

    /// Tests of the store that catch deliberate bugs.
    enum StorageCatches {
        static let syncs = Catch.test("SyncTests.commit") { try await SyncTests().commit() }
        static let refused = Catch.test("FailureTests.refused") { try FailureTests().refused() }
        static let runs = Catch.test("RunTests.everyBoundary") {
            try await RunTests().everyBoundary()
        }
        static let proof = Catch.test("ForkTests.proof") {
            try await StorageTests.ForkTests().proof()
        }
        static let references = Catch.test("ReferenceTests.flooded") {
            try await StorageTests.ReferenceTests().flooded(1)
        }
        static let order = Catch.test("ReadingTests.pages") { try await ReadingTests().pages() }
        static let keys = Catch.test("CommitTests.keys") { try await CommitTests().keys() }
        static let mark = Catch.test("ContinuityTests.restoredWithinAStart") {
            try await ContinuityTests().restoredWithinAStart()
        }
    }
#endif
