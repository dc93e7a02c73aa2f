import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// As many acts as a group can have, by its owner and 63 admins, who bring in and remove 100 people.
@Suite("A group with all acts that it can have", .timeLimit(.minutes(2)))
struct ManyActsTests {
    @Test("is verified and loaded in one go, and judged as far as its last act")
    func load() throws {
        let scene = HostileScene()
        let people = (0..<63).map { HostileScene.Person(UInt8(110 + $0)) }
        var acts = [scene.founding]
        func add(_ kind: ActKind, by person: HostileScene.Person, after basis: [Act]) {
            acts.append(
                scene.act(
                    kind, by: person, basis: basis.map(\.id).sorted(), at: UInt64(acts.count)))
        }
        for (number, person) in people.enumerated() {
            add(.admin(person.id, UInt16(number + 1)), by: scene.olga, after: [acts[number]])
        }
        func target(_ number: Int) -> PersonID {
            PersonID(fixed32([UInt8(number % 100)] + [UInt8](repeating: 3, count: 31)))
        }
        while acts.count < Limits.groupActs - 3 {
            let number = acts.count
            let author = number % 64 == 63 ? scene.olga : people[number % 64]
            let (last, target) = (acts[number - 1], target(number / 3))
            // Two beside each other, and one behind both.
            add(.add(target), by: author, after: [last])
            add(.remove(target, seen: []), by: scene.olga, after: [last])
            add(.tie, by: scene.olga, after: Array(acts.suffix(2)))
        }
        let encoded = acts.map(\.encoded)
        let clock = ContinuousClock()
        var read: [Act] = []
        let verifying = try clock.measure {
            read = try encoded.map { try Act(decoding: $0) }
            #expect(read.allSatisfy { $0.isValid() })
        }
        var state: GroupState?
        let loading = clock.measure {
            state = GroupState(scene.group, isActive: true, acts: read)
        }
        print("\(acts.count) acts: verified in \(verifying), loaded in \(loading)")
        let view = try #require(state?.view)
        #expect(acts.count > Limits.groupActs - 4 && view.graph.count == acts.count)
        #expect(view.heads == [try #require(acts.last).id])
        #expect(acts.allSatisfy { view.roster.verdicts[$0.id] != .waits })
    }
}
