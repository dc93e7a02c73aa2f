import Testing

@testable import Engine
@testable import Formats

@Suite("Two devices of a person in a group") struct GroupDevicesTests {
    @Test("need nobody else for the later one to get all of it")
    func alone() {
        var net = GroupNet(1...4, members: 1...1, owners: [4: 2])
        net.disconnect(1, 4)
        net.disconnect(3, 4)
        net.add(2)
        net.accept(2)
        net.write("hello", by: 2)
        net.settle()
        #expect(net.people(at: 4) == [GroupNet.id(of: 1), GroupNet.id(of: 2)])
        #expect(net.texts(at: 4) == ["hello"])
    }
}
