import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

/// Nodes of a person each that are linked with one another; the first founds a group and brings the others in.
struct GroupNet {
    /// What does not reach a node for a while.
    enum Withheld { case acts, keys, records }

    static func person(_ number: UInt8) -> PersonKeys { personKeys(number, number + 100) }
    static func id(of number: UInt8) -> PersonID { Self.person(number).publicKeys.id }

    private(set) var nodes: [UInt8: Harness] = [:]
    private(set) var group = ConversationID(fixed32(0))
    /// What was sent since the start.
    private(set) var frames: [(from: UInt8, to: UInt8, frame: Frame)] = []
    private var withheld: [UInt8: Set<Withheld>] = [:]
    private var waiting: [(from: UInt8, to: UInt8, frame: Frame)] = []
    private var requests: UInt64 = 1_000
    /// Whose further devices some of them are.
    private let owners: [UInt8: UInt8]

    /// - Parameters:
    ///   - members: those of them who are in the group.
    ///   - owners: of nodes that are further devices, and have no P, those whose they are.
    init(
        _ numbers: ClosedRange<UInt8>, members: ClosedRange<UInt8>? = nil,
        owners: [UInt8: UInt8] = [:], history: Group.History = .all, realm: Realm? = nil
    ) {
        self.owners = owners
        for number in numbers {
            let person = Self.person(owners[number] ?? number)
            self.nodes[number] = Harness(
                number, of: person, realms: realm.map { Realms([$0]) } ?? Realms())
            if owners[number] != nil { self.nodes[number]?.give(.personKeys(person.withoutP)) }
        }
        for number in numbers {
            for other in numbers where other != number { self.open(number, to: other) }
        }
        self.settle()
        self.ask(1, .groupCreate(room("ops").name, realm?.id ?? .open, history))
        self.settle()
        guard let group = self[1].node.joinedConversations.keys.first else {
            preconditionFailure("a group is founded")
        }
        self.group = group
        for number in members ?? numbers where number != 1 && owners[number] == nil {
            self.add(number)
            self.accept(number)
        }
    }

    subscript(number: UInt8) -> Harness {
        get {
            guard let node = self.nodes[number] else {
                preconditionFailure("there is no \(number)")
            }
            return node
        }
        set { self.nodes[number] = newValue }
    }

    /// Links two, or ends their link.
    mutating func connect(_ one: UInt8, _ other: UInt8) {
        self.open(one, to: other)
        self.open(other, to: one)
        self.settle()
    }

    mutating func disconnect(_ one: UInt8, _ other: UInt8) {
        for (number, peer) in [(one, other), (other, one)] {
            self[number].give(.linkClosed(LinkID(UInt64(peer)), nil))
        }
        self.settle()
    }

    /// Puts a node's disk back to one from before everything, and links it again with all others, or with some.
    mutating func putBack(_ number: UInt8, meeting met: [UInt8]? = nil) {
        let others = self.nodes.keys.sorted().filter { $0 != number }
        for other in others { self[other].give(.linkClosed(LinkID(UInt64(number)), nil)) }
        self.settle()
        self[number] = Harness(number, of: Self.person(self.owners[number] ?? number))
        for other in met ?? others { self.connect(number, other) }
    }

    private mutating func open(_ number: UInt8, to other: UInt8) {
        let info = LinkInfo(
            peer: Harness.peer(other),
            certificate: Self.person(self.owners[other] ?? other)
                .certify(signer(other), at: 1_767_225_600_000),
            boot: UInt64(other), role: number < other ? .initiator : .responder, dial: 1,
            realm: .open, version: 2, features: .own, listenPort: nil, exporter: .zero)
        self[number].give(
            .linkOpened(
                LinkID(UInt64(other)), info, address: "192.0.2.\(other):4100", dial: nil))
    }

    // MARK: Asked by users

    @discardableResult
    mutating func ask(_ number: UInt8, _ request: Request) -> RequestID {
        self.requests += 1
        self[number].give(.request(RequestID(self.requests), request))
        self[number].settle()
        return RequestID(self.requests)
    }

    mutating func add(_ number: UInt8) {
        self.ask(1, .groupAct(self.group, .add(Self.id(of: number))))
        self.settle()
    }

    mutating func accept(_ number: UInt8) {
        self.ask(number, .acceptGroup(self.group))
        self.settle()
    }

    mutating func remove(_ number: UInt8) {
        self.ask(1, .groupAct(self.group, .remove(Self.id(of: number), seen: [])))
        self.settle()
    }

    /// Makes a link, and gives its line.
    mutating func link(
        by number: UInt8 = 1, expires: UInt64? = nil, needsApproval: Bool = false
    ) throws -> GroupInvitation {
        let line = self.makeLink(by: number, expires: expires, needsApproval: needsApproval)
        return try #require(line)
    }

    mutating func makeLink(
        by number: UInt8 = 1, expires: UInt64? = nil, needsApproval: Bool = false
    ) -> GroupInvitation? {
        let link = GroupLink(key: .zero, expires: expires, needsApproval: needsApproval)
        let request = self.ask(number, .groupAct(self.group, .link(link)))
        self.settle()
        guard case .acted(_, let act)? = self[number].answers(of: request).first else {
            return nil
        }
        return self[number].node.groupInvitation(by: act, in: self.group)
    }

    /// Somebody comes by a line, and members have the time to answer; gives what the user is told.
    mutating func come(_ number: UInt8, by line: GroupInvitation) -> Answer? {
        let request = self.ask(number, .joinGroup(line))
        self.settle()
        self.advance(milliseconds: Limits.joinAnswerMilliseconds)
        self[number].give(.timer(.groups))
        self.settle()
        return self[number].answers(of: request).last
    }

    /// Lets so much time pass in which nothing happens.
    mutating func advance(milliseconds: UInt64) {
        for number in self.nodes.keys {
            self[number].advance(to: self[number].now.monotonic + milliseconds)
        }
    }

    @discardableResult
    mutating func write(_ text: String, by number: UInt8) -> [Answer] {
        let request = self.ask(
            number, .send(Outgoing(conversation: self.group, text: text)))
        return self[number].answers(of: request)
    }

    // MARK: Time

    /// Keeps something from a node until ``deliver(to:)``.
    mutating func withhold(_ what: Withheld, from number: UInt8) {
        self.withheld[number, default: []].insert(what)
    }

    mutating func deliver(to number: UInt8) {
        self.withheld[number] = nil
        let late = self.waiting.filter { $0.to == number }
        self.waiting.removeAll { $0.to == number }
        for one in late { self[number].give(one.frame, from: one.from) }
        self.settle()
    }

    /// Has all written, and brings everything where it is sent, until nobody says anything more.
    mutating func settle() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for number in self.nodes.keys.sorted() {
                self[number].settle()
                for other in self.nodes.keys.sorted() where other != number {
                    for frame in self[number].take(from: other) {
                        isQuiet = false
                        self.bring(frame, from: number, to: other)
                    }
                }
            }
        }
    }

    private mutating func bring(_ frame: Frame, from number: UInt8, to other: UInt8) {
        self.frames.append((number, other, frame))
        if let kind = frame.withheld, self.withheld[other]?.contains(kind) == true {
            self.waiting.append((number, other, frame))
        } else {
            self[other].give(frame, from: number)
        }
    }

    /// Lets so much time pass, with links looked at and what is due told.
    mutating func pass(milliseconds: UInt64) {
        for _ in 0..<(milliseconds / 5_000) {
            for number in self.nodes.keys.sorted() {
                self[number].advance(to: self[number].now.monotonic + 5_000)
                self[number].give(.timer(.fetch))
                self[number].give(.timer(.delta))
                for (link, at) in self[number].looksAt.sorted(by: { $0.key < $1.key })
                where at <= self[number].now.monotonic {
                    self[number].give(.timer(.ping(link)))
                }
            }
            self.settle()
        }
    }

    // MARK: What there is

    /// What a node shows, in the order in which it is shown.
    func texts(at number: UInt8) -> [String] {
        var messages: [Message] = []
        for case .message(let message) in self[number].shown { messages.append(message) }
        return messages.sorted { $0.isShown(before: $1) }.compactMap(\.content.text)
    }

    /// The members by what a node knows.
    func people(at number: UInt8) -> Set<PersonID> {
        self[number].node.people(of: self.group)
    }

    func log(of author: UInt8) -> LogKey {
        LogKey(conversation: self.group, name: self[author].node.ownLog)
    }

    /// How many entries of somebody's log a node has.
    func entries(of author: UInt8, at number: UInt8) -> UInt64 {
        let name = self.log(of: author).name
        return self[number].node.conversations.table[self.group]?.log(name).head.seq ?? 0
    }

    func digest(of number: UInt8) -> Bytes32? {
        var conversation = self[number].node.conversations.table[self.group]
        return conversation?.digest(self[number].node.persons.profiles, through: 0).logs
    }

    /// The keys of own and others' entries of somebody's log, as their disk has them.
    func epochs(of author: UInt8) -> [Bytes32] {
        self[author].stored(self.log(of: author)).map(\.entry.epoch)
    }

    /// How many frames were sent from a point on.
    func count(from start: Int, where isCounted: (Frame) -> Bool) -> Int {
        self.frames[start...].count { isCounted($0.frame) }
    }
}

extension Frame {
    fileprivate var withheld: GroupNet.Withheld? {
        switch self {
        case .acts, .actHeads, .actWant: .acts
        case .epochKeys: .keys
        case .records, .recordClock: .records
        default: nil
        }
    }

    var isWant: Bool { if case .want = self { true } else { false } }

    var isRun: Bool {
        switch self {
        case .liveRun, .syncRun: true
        default: false
        }
    }

    /// Whether it tells or asks what there is of conversations.
    var isOfSync: Bool {
        switch self {
        case .digest, .clock, .buckets, .delta, .want: true
        default: false
        }
    }
}
