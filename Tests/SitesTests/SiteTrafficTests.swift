import ControlAPI
import Glibc
import Sites
import Testing

/// What sites cost by arithmetic: `Docs/Sites.md`, What grows with what.
private struct Costs {
    /// The nodes that follow a conversation.
    var nodes: Int
    /// What is written there, each by one of them, so far apart that nothing is replaced or read together.
    var texts: Int

    /// Each text, and the mark of everybody else that it has come.
    var published: Int { self.texts * self.nodes }
    /// Each node hears of each item at once; its author, too.
    var heard: Int { self.published * self.nodes }
    /// And reads it from the stream later.
    var read: Int { self.published * self.nodes }
    /// A text stays; of the marks each person's last one does, once somebody else has written.
    func stored(authors: Int) -> Int {
        self.texts + (authors > 1 ? self.nodes : authors == 1 ? self.nodes - 1 : 0)
    }
    /// Each node asks once for all that comes within a second.
    var questions: Int { self.texts * self.nodes }

    /// Bytes of a sealed text of forty characters, and of a mark of so many people: measured on real nodes.
    static let textBytes = 320
    static func markBytes(_ people: Int) -> Int { 180 + 27 * (min(people, 65) - 1) }

    /// What all nodes are given, in bytes.
    var givenBytes: Int {
        2 * self.texts * self.nodes
            * (Self.textBytes + (self.nodes - 1) * Self.markBytes(self.nodes))
    }

    static func + (left: [Int], right: Costs) -> [Int] {
        zip(left, [right.published, right.heard, right.read, right.questions]).map { $0 + $1 }
    }
}

/// A server that stores one item for each subject, tells those who listen, and counts.
private final class Relay {
    private(set) var stored: [String: (item: SiteOutgoing.Item, number: UInt64)] = [:]
    private(set) var last: UInt64 = 0
    var listeners: [String: [Office]] = [:]
    var published = 0
    var heard = 0
    var read = 0
    var questions = 0
    var looks = 0

    func publish(_ item: SiteOutgoing.Item, at now: UInt64) {
        self.published += 1
        self.last += 1
        self.stored[item.subject] = (item, self.last)
        for office in self.listeners[Relay.tag(item.subject), default: []] {
            self.heard += 1
            office.hear(item, at: now)
        }
    }

    typealias Stored = (item: SiteOutgoing.Item, number: UInt64)

    func messages(of tag: String, after number: UInt64) -> [Stored] {
        self.questions += 1
        let found = self.stored.values.filter {
            $0.number > number && Self.tag($0.item.subject) == tag
        }
        .sorted { $0.number < $1.number }
        self.read += found.count
        return found.map { (item: $0.item, number: $0.number) }
    }

    static func tag(_ subject: String) -> String {
        String(subject.split(separator: ".")[1])
    }
}

/// One node with `stoa-sites`: the decisions are those of the program, its daemon knows items by subject and age.
private final class Office {
    let name: Int
    let relay: Relay
    let carries: Bool
    private var outgoing = SiteOutgoing()
    private var incoming = SiteIncoming()
    private var known: [String: [UInt8]] = [:]
    /// What the daemon has for its `stoa-sites`.
    private var due: [ExportItemsMethod.Item] = []
    private var places: [String: UInt64] = [:]
    private var marks: [String: Int] = [:]
    /// The nodes that have a link with it.
    var linked: [Office] = []

    init(_ name: Int, _ relay: Relay, in tags: [String], carries: Bool = true) {
        (self.name, self.relay, self.carries) = (name, relay, carries)
        guard carries else { return }
        self.incoming.follow(tags)
        self.incoming.begin(at: [])
        for tag in tags { relay.listeners[tag, default: []].append(self) }
    }

    func write(_ text: Int, in tag: String, at now: UInt64) {
        self.take("stoa.\(tag).text\(text)", [0], isOwn: true)
        for other in self.linked { other.take("stoa.\(tag).text\(text)", [0]) }
        self.work(at: now)
    }

    /// Something new for the daemon: what others wrote has its person mark it.
    private func take(_ subject: String, _ data: [UInt8], isOwn: Bool = false) {
        guard self.isNew(subject, data) else { return }
        self.known[subject] = data
        var item = ExportItemsMethod.Item()
        item.subject = subject
        item.data = Base64(data)
        item.mine = isOwn ? true : nil
        item.replaces = subject.contains("mark") ? true : nil
        self.due.append(item)
        guard !isOwn, subject.contains("text") else { return }
        let tag = Relay.tag(subject)
        self.marks[tag, default: 0] += 1
        let mark = ("stoa.\(tag).mark\(self.name)", [UInt8(self.marks[tag, default: 0])])
        self.take(mark.0, mark.1, isOwn: true)
        for other in self.linked { other.take(mark.0, mark.1) }
    }

    private func isNew(_ subject: String, _ data: [UInt8]) -> Bool {
        self.known[subject].map { $0.lexicographicallyPrecedes(data) } ?? true
    }

    func hear(_ item: SiteOutgoing.Item, at now: UInt64) {
        let items = self.outgoing.has(item) ? [] : [item]
        self.incoming.published(items, in: [Relay.tag(item.subject)], at: now)
    }

    /// What is to be done now.
    func work(at now: UInt64) {
        guard self.carries else { return }
        self.incoming.tick(at: now)
        for (page, item) in self.outgoing.due(at: now) {
            self.relay.looks += 1
            if self.relay.stored[item.subject]?.item != item { self.relay.publish(item, at: now) }
            self.outgoing.settled([item], of: page)
        }
        repeat {
            let items = self.due
            self.due = []
            let (page, own) = self.outgoing.take(items, cursor: "", at: now)
            for item in own { self.relay.publish(item, at: now) }
            self.outgoing.settled(own, of: page)
            while let step = self.incoming.next { self.carry(out: step, at: now) }
        } while !self.due.isEmpty
    }

    private func carry(out step: SiteIncoming.Step, at now: UInt64) {
        switch step {
        case .read(let tag, let number):
            self.places[tag] = number - 1
            self.incoming.reads(tag)
        case .fetch(let tag):
            let found = self.relay.messages(of: tag, after: self.places[tag, default: 0])
            if let last = found.last { self.places[tag] = last.number }
            self.incoming.fetched(found, of: tag, behind: 0, hasCome: !found.isEmpty)
        case .give(let items):
            self.incoming.gives()
            let outcomes = items.map { item in
                ImportItemsMethod.Outcome {
                    $0.verdict = self.isNew(item.subject, item.data) ? .taken : .known
                }
            }
            for item in items { self.take(item.subject, item.data) }
            for item in self.incoming.given(outcomes, at: now) { self.outgoing.saw(item) }
        case .look, .stop: Issue.record("nothing waits, and nobody leaves")
        }
    }
}

@Suite("What several sites cost") struct SiteTrafficTests {
    private static let sites = 4
    private static let people = 3
    /// Long enough for marks, reading, and those who wait for an author.
    private static let pause: UInt64 = 15_000

    /// The people of a site are linked, and everyone follows the conversations that they are in.
    private static func offices(
        _ relay: Relay, _ conversations: [String: [Int]], without: Set<Int> = []
    ) -> [Office] {
        let all = (0..<Self.sites * Self.people).map { name in
            Office(
                name, relay, in: conversations.filter { $0.value.contains(name) }.map(\.key),
                carries: !without.contains(name))
        }
        for office in all {
            office.linked = all.filter {
                $0 !== office && $0.name / Self.people == office.name / Self.people
            }
        }
        return all
    }

    private static func pass(_ offices: [Office], from now: UInt64) {
        for moment in stride(from: now, to: now + Self.pause, by: 100) {
            for office in offices { office.work(at: moment) }
        }
    }

    @Test("is what the arithmetic says, in rooms and conversations of any size")
    func costs() {
        let everybody = Array(0..<Self.sites * Self.people)
        let conversations = [
            "all": everybody, "some": [0, 1, 2, 3, 4, 5], "two": [0, 1, 2, 9, 10, 11],
        ]
        let relay = Relay()
        let offices = Self.offices(relay, conversations)
        Self.pass(offices, from: 0)
        (relay.questions, relay.read) = (0, 0)
        var due = [0, 0, 0, 0]
        var (now, stored) = (Self.pause, 0)
        for (tag, members) in conversations.sorted(by: { $0.key < $1.key }) {
            for text in 0..<5 {
                offices[members[text % 3]].write(text, in: tag, at: now)
                Self.pass(offices, from: now)
                now += Self.pause
            }
            let costs = Costs(nodes: members.count, texts: 5)
            due = due + costs
            stored += costs.stored(authors: 3)
        }
        #expect([relay.published, relay.heard, relay.read, relay.questions] == due)
        #expect(relay.stored.count == stored)
        #expect(relay.looks == 0, "whose author publishes need not be looked for")
    }

    /// 10,000 people, all of whom are in conversations of the first two sorts; texts of a day.
    private static let sorts = [
        (Costs(nodes: 2, texts: 200_000), people: 10_000),
        (Costs(nodes: 30, texts: 200_000), people: 10_000),
        (Costs(nodes: 300, texts: 1_000), people: 300),
        (Costs(nodes: 10_000, texts: 100), people: 10_000),
    ]

    /// A row of the page's table, a number for each of these sorts.
    private static func row(_ name: String, _ number: (Costs, Int) -> Int) -> String {
        let cells = Self.sorts.map { costs, people -> String in
            let digits = String(number(costs, people))
            let groups = stride(from: digits.count, to: 0, by: -3).map { end in
                String(digits.prefix(end).suffix(min(3, end)))
            }
            return groups.reversed().joined(separator: ",")
        }
        return "| \(name) | \(cells.joined(separator: " | ")) |"
    }

    @Test("is in the table of the page for a hundred sites of a hundred people")
    func table() throws {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let file = try #require(fopen("/\(tests)/../Docs/Sites.md", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let page = String(decoding: bytes.prefix(count), as: UTF8.self)
        let rows = [
            Self.row("texts a day") { costs, _ in costs.texts },
            Self.row("messages published") { costs, _ in costs.published },
            Self.row("messages given to nodes") { costs, _ in costs.heard + costs.read },
            Self.row("of these a second, where a day has 8 hours") { costs, _ in
                (costs.heard + costs.read) / (8 * 3_600)
            },
            Self.row("megabytes given to nodes") { costs, _ in costs.givenBytes / 1_000_000 },
            Self.row("kilobytes given to one of these people") { costs, people in
                costs.givenBytes / people / 1_000
            },
        ]
        for row in rows { #expect(page.contains(row + "\n"), "\(row)") }
    }

    @Test("where an author has no stoa-sites: others look, and one of them publishes")
    func withoutCarrier() {
        let relay = Relay()
        let offices = Self.offices(relay, ["all": Array(0..<12)], without: [0])
        Self.pass(offices, from: 0)
        offices[0].write(1, in: "all", at: Self.pause)
        Self.pass(offices, from: Self.pause)
        Self.pass(offices, from: 2 * Self.pause)
        // The text, and the marks of eleven.
        #expect(relay.published == 12)
        // The two beside the author, at most once each.
        #expect((1...Self.people - 1).contains(relay.looks))
    }
}
