import Formats
import Testing
import TestSupport

@testable import Engine

@Suite("Acts on their way to other sites")
struct ActArrivalsTests {
    private func act(_ number: Int) -> ActID { ActID(fixed32(UInt8(number))) }

    @Test(
        "are all given behind a place, and are kept once each where keys have them given again and again"
    )
    func bounded() {
        var arrivals = ActArrivals()
        let group = ConversationID(fixed32(1))
        arrivals.add((0..<100).map(self.act), of: group)
        let place = arrivals.count
        #expect(arrivals.suffix(from: place).isEmpty)
        for _ in 0..<10_000 { arrivals.add((50..<60).map(self.act), of: group) }
        #expect(arrivals.count == 100_100)
        #expect(arrivals.suffix(from: 0).count <= Limits.actArrivals)
        #expect(Set(arrivals.suffix(from: 0).map(\.act)).count == 100)
        #expect(
            Set(arrivals.suffix(from: place).map(\.act)).isSuperset(of: (50..<60).map(self.act)))
        arrivals.add([self.act(100)], of: group)
        #expect(arrivals.suffix(from: arrivals.begin(of: 100_100)).map(\.act) == [self.act(100)])
    }
}
