import ControlAPI
import Posix
import TestSupport
import Testing

@testable import Daemon

@Suite("What a daemon finds out for the doctor", .serialized, .timeLimit(.minutes(2)))
struct DiagnoseMethodTests {
    @Test("nobody is asked where nobody is linked, and that is answered at once")
    func alone() throws {
        let ada = try TestDaemon(name: "ada")
        let found = try ada.ask("diagnose")
        #expect(found["reach"]?.arrayValue?.isEmpty == true)
        #expect(found["unheard"]?.arrayValue?.isEmpty == true && found["follows"] == false)
        #expect((found["used"]?.integerValue ?? 0) > 0)
        #expect(found["limit"]?.integerValue ?? 0 >= 256 << 20)
        let address = try ada.address()
        #expect(address.hasSuffix(":\(found["port"]?.integerValue ?? 0)"))
        // Port 0 is no choice.
        #expect(found["portIsChosen"] == false)
    }

    @Test("a linked peer dials back, comes in and is told of, whichever of the two had dialled")
    func reached() throws {
        let ada = try TestDaemon(name: "ada")
        let ben = try TestDaemon(name: "ben")
        _ = try ada.ask(
            "connect", ["address": .string(ben.address()), "waitMilliseconds": 10_000])
        for (asker, other) in [(ada, ben), (ben, ada)] {
            let id = try other.ask("status")["id"]
            // The link at the other end may be a moment behind.
            let deadline = SystemClock.monotonicMilliseconds() + 10_000
            while try asker.ask("status")["links"] != 1 {
                try #require(SystemClock.monotonicMilliseconds() < deadline)
            }
            let reach = try asker.ask("diagnose")["reach"]?.arrayValue
            #expect(reach?.map { $0["outcome"] } == ["reached"])
            #expect(reach?.first?["peer"] == id && reach?.first?["tier"] == "stranger")
        }
    }
}
