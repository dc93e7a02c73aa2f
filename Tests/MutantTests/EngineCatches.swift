#if MUTANTS
    @testable import EngineTests

    /// Tests of the engine that catch deliberate bugs.
    enum EngineCatches {
        static let changedRun = Catch.test("RunTests.changed") { RunTests().changed() }
        static let signatures = Catch.test("ForgedIntroductionTests.signatures") {
            try ForgedIntroductionTests().signatures()
        }
        static let mirrored = Catch.test("RealmLinkTests.mirrored") {
            try RealmLinkTests().mirrored()
        }
        static let unshared = Catch.test("RealmLinkTests.unshared") { RealmLinkTests().unshared() }
        static let otherKey = Catch.test("SessionHandshakeTests.otherKey") {
            SessionHandshakeTests().otherKey()
        }
        static let publicHash = Catch.test("SessionHandshakeTests.publicHash") {
            try SessionHandshakeTests().publicHash()
        }
        static let certificates = Catch.test("ForgedIntroductionTests.certificates") {
            try ForgedIntroductionTests().certificates()
        }
        static let device = Catch.test("CertificateTests.holds") { try CertificateTests().holds() }
        static let varints = Catch.test("WireReaderTests.badVarints") {
            WireReaderTests().badVarints(bytes: [0x80, 0x00])
        }
        static let verdicts = Catch.test("ContentTests.verdicts") { ContentTests().verdicts() }
        static let mirroredHeads = Catch.test("LinkTagsTests.mirrored") {
            try LinkTagsTests().mirrored()
        }
        static let pictures = Catch.test("PictureTests.served") { PictureTests().served() }
        static let uploads = Catch.test("SwarmTests.uploads") { try SwarmTests().uploads() }
        static let parts = Catch.test("BlobTreeTests.verifies") {
            try BlobTreeTests().verifies()
        }
        // Where a liar is asked, or somebody is killed in the middle, depends on the seed.
        static let liars = Catch.test("SwarmTests.everywhere") {
            for seed in 0..<20 { SwarmTests().everywhere(seed: seed) }
        }
        static let resumes = Catch.test("SwarmTests.restarts") {
            for seed in 0..<20 { SwarmTests().restarts(seed: seed) }
        }
        static let drip = Catch.test("SwarmTests.drip") { SwarmTests().drip() }
        static let names = Catch.test("PeopleTests.marks") { PeopleTests().marks() }
        static let strangers = Catch.test("StrangersTests.chosen") { StrangersTests().chosen() }
        static let places = Catch.test("LinkPlacesTests.known") { LinkPlacesTests().known() }
        static let knownLogs = Catch.test("RoomTests.known") { RoomTests().known() }
        static let claimedTime = Catch.test("RoomTests.claimedTime") {
            RoomTests().claimedTime()
        }
        static let linkedRecords = Catch.test("ManyRecordsTests.linked") {
            ManyRecordsTests().linked()
        }
        static let protected = Catch.test("RoomTests.followed") { RoomTests().followed() }
        static let charged = Catch.test("RoomTests.elsewhere") { RoomTests().elsewhere() }
        static let wanted = Catch.test("PayloadTests.wanted") { try PayloadTests().wanted() }
        static let erasers = Catch.test("ErasureTests.others") { ErasureTests().others() }
        static let held = Catch.test("HeldElsewhereTests.delivery") {
            try HeldElsewhereTests().delivery()
        }
        static let lies = Catch.test("DeliveryTests.lies") { try DeliveryTests().lies() }
        static let strangersWord = Catch.test("DeliveryTests.strangers") {
            try DeliveryTests().strangers()
        }
        static let marks = Catch.test("MarkNodeTests.lies") { try MarkNodeTests().lies() }
        static let privateReads = Catch.test("MarkNodeTests.quiet") {
            try MarkNodeTests().quiet()
        }
        static let followed = Catch.test("StrangeClockTests.followed") {
            StrangeClockTests().followed()
        }
        static let clocks = Catch.test("StrangeClockTests.now") { StrangeClockTests().now() }
        static let pong = Catch.test("ExtremeValueTests.pong") { await ExtremeValueTests().pong() }
        static let expired = Catch.test("ExpiryTests.arriving") { ExpiryTests().arriving() }
        static let withheld = Catch.test("CodecPropertyTests.withheld") {
            try CodecPropertyTests().withheld()
        }
    }
#endif
