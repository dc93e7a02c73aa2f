import Testing

@testable import Engine

@Suite("When the daemon is at rest")
struct RestScheduleTests {
    private let quiet = RestSchedule.quietMilliseconds

    @Test("memory is given back once the store was not used for some seconds")
    func rests() {
        var rest = RestSchedule()
        let isPlanned = rest.used(at: 100)
        let later = rest.due(at: 100 + self.quiet)
        #expect(isPlanned && later == nil)
    }

    @Test("work that goes on puts it off, and is looked at no more often")
    func goesOn() {
        var rest = RestSchedule()
        var planned = [rest.used(at: 100), rest.used(at: 4_100)]
        var later = [rest.due(at: 100 + self.quiet)]
        planned.append(rest.used(at: 200 + self.quiet))
        later.append(rest.due(at: 4_100 + self.quiet))
        #expect(planned == [true, false, false])
        #expect(later == [4_000, 6_100])
    }

    @Test("to give back is no use of the store, and a daemon at rest wakes for nothing")
    func staysAtRest() {
        var rest = RestSchedule()
        var planned = [rest.used(at: 100)]
        let later = rest.due(at: 100 + self.quiet)
        planned.append(rest.used(at: 101 + self.quiet))
        planned.append(rest.rested())
        planned.append(rest.used(at: 200 + self.quiet))
        #expect(later == nil)
        #expect(planned == [true, false, false, true])
    }

    @Test("what is used while memory is given back is given back later")
    func usedMeanwhile() {
        var rest = RestSchedule()
        var planned = [rest.used(at: 100)]
        var later = [rest.due(at: 100 + self.quiet)]
        let meanwhile = 105 + self.quiet
        planned += [rest.used(at: 101 + self.quiet), rest.used(at: meanwhile), rest.rested()]
        planned.append(rest.used(at: meanwhile))
        later.append(rest.due(at: meanwhile + self.quiet))
        #expect(planned == [true, false, false, true, false])
        #expect(later == [nil, nil])
    }
}
