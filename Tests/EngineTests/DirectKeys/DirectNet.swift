import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Ada has the devices 1, 2 and 5, Bea 3 and 4; those with P are 1 and 3, and all are linked with one another.
struct DirectNet {
    static let stolen = Harness.peer(2)
    var net: GroupNet
    /// Theirs, or Ada's notes.
    let conversation: ConversationID

    init(_ numbers: ClosedRange<UInt8> = 1...4, isNotes: Bool = false, isBegun: Bool = true) {
        self.net = GroupNet(numbers, members: 1...1, owners: [2: 1, 4: 3, 5: 1])
        let (ada, bea) = (GroupNet.person(1), GroupNet.person(isNotes ? 1 : 3))
        guard
            let direct = try? DirectConversation(
                of: ada, with: bea.publicKeys, at: Harness.peer(isNotes ? 1 : 3))
        else { preconditionFailure("the keys of the test are usable") }
        self.conversation = direct.id
        if isBegun { self.begin(isNotes: isNotes) }
    }

    mutating func begin(isNotes: Bool = false) {
        self.net.ask(1, .beginDirect(Harness.peer(isNotes ? 1 : 3)))
        if !isNotes { self.net.ask(3, .beginDirect(Harness.peer(1))) }
        self.net.settle()
        self.pass()
    }

    mutating func pass() { self.net.pass(milliseconds: 10_000) }

    mutating func disconnect(_ number: UInt8, from others: UInt8...) {
        for other in others { self.net.disconnect(number, other) }
    }

    /// Ada's first device revokes her second one, which is linked with nobody but those named.
    mutating func revoke(linkedWith kept: UInt8...) {
        for number in self.net.nodes.keys.sorted() where number != 2 && !kept.contains(number) {
            self.net.disconnect(number, 2)
        }
        self.net.advance(milliseconds: 1_000)
        self.net.ask(1, .revokeDevice(Self.stolen))
        self.net.settle()
        self.net.advance(milliseconds: 1_000)
    }

    mutating func write(_ text: String, by number: UInt8) {
        self.net.ask(number, .send(Outgoing(conversation: self.conversation, text: text)))
        self.net.settle()
        self.net.advance(milliseconds: 10)
    }

    /// What a node shows of the conversation, in its order.
    func texts(at number: UInt8) -> [String] {
        var messages: [Message] = []
        for case .message(let message) in self.net[number].shown
        where message.conversation == self.conversation { messages.append(message) }
        return messages.sorted { $0.isShown(before: $1) }.compactMap(\.content.text)
    }

    /// The keys of the entries of somebody's log, as their disk has them.
    func epochs(of author: UInt8) -> [Bytes32] {
        let node = self.net[author].node
        let key = LogKey(conversation: self.conversation, name: node.ownLog)
        return self.net[author].stored(key).map(\.entry.epoch)
    }

    func has(_ key: Bytes32?, at number: UInt8) -> Bool {
        let node = self.net[number].node
        return key.map { node.keyring.key($0, of: self.conversation) != nil } ?? false
    }

    var root: Bytes32? {
        self.net[1].node.conversations.table[self.conversation]?.kind.key?.id
    }
}
