import ControlAPI

/// The part of a conversation that is here, in display order: a window that grows at either end, and is
/// cut at the other where it holds too much.
struct Scrollback: Equatable, Sendable {
    /// What a window may hold, in bytes and in messages.
    static let byteLimit = 6 << 20
    static let countLimit = 5_000

    private(set) var messages: [ChatMessage] = []
    private(set) var bytes = 0
    /// Whether the daemon may have older or newer ones than these.
    var hasOlder = true
    var hasNewer = false
    /// Where each is, by id, less what was cut off the front.
    private var places: [String: Int] = [:]
    private var shift = 0

    var isEmpty: Bool { self.messages.isEmpty }

    func index(of id: String) -> Int? { self.places[id].map { $0 - self.shift } }

    subscript(id: String) -> ChatMessage? { self.index(of: id).map { self.messages[$0] } }

    /// The oldest and the newest that the daemon knows of.
    var oldest: String? { self.messages.first { !$0.isNote }?.id }
    var newest: String? { self.messages.last { !$0.isNote }?.id }

    // MARK: Filling

    /// Begins anew with a page of history.
    mutating func replace(_ page: [ChatMessage], hasOlder: Bool, hasNewer: Bool) {
        let notes = hasNewer ? [] : self.messages.filter(\.isNote)
        self = Scrollback()
        (self.hasOlder, self.hasNewer) = (hasOlder, hasNewer)
        for message in page + notes { self.append(message) }
    }

    /// Adds one at the end.
    mutating func append(_ message: ChatMessage) {
        guard self.places[message.id] == nil else { return self.change(message) }
        self.places[message.id] = self.messages.count + self.shift
        self.messages.append(message)
        self.bytes += message.bytes
    }

    /// Puts a page of neighbours in display order into its place: by those of them that are here; in front
    /// or at the end where none is.
    mutating func merge(_ page: [ChatMessage], isOlder: Bool) {
        let known = page.filter { self.places[$0.id] != nil }
        for message in known { self.change(message) }
        let fresh = page.count - known.count
        guard fresh > 0 else { return }
        if known.isEmpty {
            self.splice(page, at: isOlder ? 0 : self.messages.count)
            return
        }
        var waiting: [ChatMessage] = []
        var end: Int?
        for message in page {
            guard let place = self.index(of: message.id) else {
                waiting.append(message)
                continue
            }
            self.splice(waiting, at: place)
            end = place + waiting.count + 1
            waiting = []
        }
        self.splice(waiting, at: end ?? self.messages.count)
    }

    private mutating func splice(_ added: [ChatMessage], at place: Int) {
        guard !added.isEmpty else { return }
        self.messages.insert(contentsOf: added, at: place)
        self.bytes += added.reduce(0) { $0 + $1.bytes }
        self.index()
    }

    private mutating func index() {
        self.shift = 0
        self.places = Dictionary(
            self.messages.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Takes over the newer state of one that is here.
    mutating func change(_ message: ChatMessage) {
        self.change(message.id) { $0.update(message) }
    }

    mutating func change(_ id: String, _ body: (inout ChatMessage) -> Void) {
        guard let place = self.index(of: id) else { return }
        self.bytes -= self.messages[place].bytes
        body(&self.messages[place])
        self.bytes += self.messages[place].bytes
    }

    // MARK: Cutting

    /// Cuts what is too much off one end; off the oldest where that is not looked at.
    mutating func trim(keepingOldest: Bool) {
        guard self.bytes > Self.byteLimit || self.messages.count > Self.countLimit else { return }
        var cut = 0
        // A tenth more, so that not every message cuts.
        let (bytes, count) = (Self.byteLimit / 10 * 9, Self.countLimit / 10 * 9)
        if keepingOldest {
            while self.messages.count > 1, self.bytes > bytes || self.messages.count > count {
                let last = self.messages.removeLast()
                self.bytes -= last.bytes
                self.places[last.id] = nil
            }
            self.hasNewer = true
        } else {
            while cut < self.messages.count - 1,
                self.bytes > bytes || self.messages.count - cut > count
            {
                self.bytes -= self.messages[cut].bytes
                self.places[self.messages[cut].id] = nil
                cut += 1
            }
            self.messages.removeFirst(cut)
            self.shift += cut
            self.hasOlder = true
        }
    }
}
