#if MUTANTS
    @testable import SimulationTests

    /// Tests of the simulation that catch deliberate bugs.
    enum SimulationCatches {
        static let clocks = Catch.test("ClockTests.ahead") { try ClockTests().ahead() }
        static let falseClocks = Catch.test("SybilTests.clocks") { await SybilTests().clocks() }
        static let washed = Catch.test("SybilTests.washed") { try SybilTests().washed() }
        static let ratcheted = Catch.test("SybilTests.ratcheted") { try SybilTests().ratcheted() }
        static let flooded = Catch.test("SybilTests.flooded") { try SybilTests().flooded() }
        static let creep = Catch.test("ClockTests.creep") { try ClockTests().creep() }
        static let restoredBackup = Catch.test("ReplicationTests.restoredBackup") {
            try ReplicationTests().restoredBackup()
        }
        static let secretRooms = Catch.test("SecretRoomTests.holders") {
            try SecretRoomTests().holders()
        }
        static let requests = Catch.test("DirectTests.accepted") { try DirectTests().accepted() }
        static let references = Catch.test("ReferenceTests.early") {
            try SimulationTests.ReferenceTests().early()
        }
        static let fork = Catch.test("ForkTests.fork") { try ForkTests().fork() }
    }
#endif
