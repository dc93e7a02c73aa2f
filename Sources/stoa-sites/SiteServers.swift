import CNATS
import ControlAPI
import Glibc
import Loop
import Posix
import Sites
import Synchronization

/// What the servers, or the library, say of a call that failed.
struct ServerError: Error {
    enum Reason {
        /// No server answers, or not in time.
        case away
        /// There is no such stream, or message.
        case absent
        /// The servers do not let this user do that.
        case forbidden
        /// The servers have no room, or take nothing so large.
        case full
        /// There are fewer servers than copies.
        case alone
        case other
    }

    let reason: Reason
    let text: String
    /// Whether the connection will not come back by itself.
    var isClosed = false

    init(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) {
        self.reason =
            switch (status, code.rawValue) {
            case (_, 10023), (_, 10047), (_, 10077), (_, 10054), (_, 10052): .full
            case (_, 10074), (_, 10005): .alone
            case (NATS_NOT_FOUND, _), (NATS_NO_RESPONDERS, _), (_, 10059): .absent
            case (NATS_NOT_PERMITTED, _), (NATS_CONNECTION_AUTH_FAILED, _): .forbidden
            case (NATS_TIMEOUT, _), (NATS_NO_SERVER, _), (NATS_CONNECTION_CLOSED, _),
                (NATS_CONNECTION_DISCONNECTED, _), (NATS_IO_ERROR, _),
                // Nothing is kept for later while there is no connection.
                (NATS_INSUFFICIENT_BUFFER, _):
                .away
            default: .other
            }
        self.isClosed = status == NATS_CONNECTION_CLOSED
        // The library has no word for having no connection.
        var text =
            status == NATS_INSUFFICIENT_BUFFER
            ? "the connection is lost" : String(cString: natsStatus_GetText(status))
        if code.rawValue != 0 { text += " (JetStream error \(code.rawValue))" }
        self.text = text
    }
}

/// What libnats tells from its own threads, brought to the loop's.
final class ServerWatcher: Sendable {
    enum News: Sendable {
        case lost
        case found
        /// The servers refuse something that nobody waits for, such as to hear of what is published.
        case refused
        /// Something was published: ``ServerWatcher/takePublished()``.
        case published
        /// Somebody is there, or writes: ``ServerWatcher/hearing``.
        case signalled
        /// The servers refuse to pass on who is there and who writes.
        case signalsRefused
    }

    /// What was published since it was taken, and in which conversations.
    struct Published: Sendable {
        var items: [SiteOutgoing.Item] = []
        var tags: Set<String> = []
    }

    /// What may wait for the loop, in bytes: beyond it only the conversation is noted, and read from the stream.
    private static let waitingBytes = 4 << 20

    private let loop: EventLoop
    private let tell: @Sendable (News) -> Void
    /// Whether its connection is not used any more: what still comes of it is of no interest.
    private let isOver = Atomic(false)
    /// What the servers have refused since it was asked last: a JetStream error, or a status below zero.
    private let failures = Protected<(count: Int, first: Int32)>((0, 0))
    /// What others have published that nothing stores.
    let hearing = Protected(SiteHearing())
    private let waiting = Protected<(published: Published, bytes: Int)>((Published(), 0))

    init(_ loop: EventLoop, tell: @escaping @Sendable (News) -> Void) {
        (self.loop, self.tell) = (loop, tell)
    }

    func post(_ news: News) {
        let tell = self.tell
        guard !self.isOver.load(ordering: .relaxed) else { return }
        self.loop.post {
            if !self.isOver.load(ordering: .relaxed) { tell(news) }
        }
    }

    func end() {
        self.isOver.store(true, ordering: .relaxed)
        _ = self.takePublished()
    }

    func published(_ item: SiteOutgoing.Item) {
        guard !self.isOver.load(ordering: .relaxed) else { return }
        let parts = item.subject.split(separator: ".")
        guard parts.count == 3, item.subject.utf8.count <= SiteServers.subjectBytes else { return }
        let isFirst = self.waiting.withLock { waiting in
            let isFirst = waiting.published.tags.isEmpty
            waiting.published.tags.insert(String(parts[1]))
            guard waiting.bytes + item.data.count <= Self.waitingBytes else { return isFirst }
            waiting.bytes += item.data.count + 256
            waiting.published.items.append(item)
            return isFirst
        }
        if isFirst { self.post(.published) }
    }

    func signalled(_ item: SiteOutgoing.Item) {
        guard !self.isOver.load(ordering: .relaxed) else { return }
        let parts = item.subject.split(separator: ".")
        // A server gives what it likes under any subscription.
        guard item.subject.hasPrefix(SiteServers.signalsPrefix), parts.count == 3,
            item.subject.utf8.count <= SiteServers.subjectBytes
        else { return }
        if self.hearing.withLock({ $0.heard(item, in: String(parts[1])) }) { self.post(.signalled) }
    }

    func takePublished() -> Published {
        self.waiting.withLock { waiting in
            let published = waiting.published
            waiting = (Published(), 0)
            return published
        }
    }

    func failed(_ code: Int32) {
        self.failures.withLock { $0 = ($0.count + 1, $0.count == 0 ? code : $0.first) }
    }

    func takeFailures() -> (count: Int, first: Int32) {
        self.failures.withLock {
            let failures = $0
            $0 = (0, 0)
            return failures
        }
    }
}

/// One connection to the servers of a cluster, and the stream there; all calls wait, a few seconds at most.
final class SiteServers {
    /// A stream of all sites.
    struct Stream {
        let name: String
        /// What it holds: prefix, tag, name.
        let subjects: String
        /// The largest message.
        let messageBytes: Int

        static let items = Stream(
            name: "STOA", subjects: "stoa.*.*", messageBytes: ControlLimits.siteItemBytes)
        static let files = Stream(
            name: "STOA_FILES", subjects: "stoa-files.*.*",
            messageBytes: ControlLimits.sitePartBytes)
    }

    /// How many messages are read at once, and how many bytes.
    private static let fetchMessages: Int32 = 64
    private static let fetchBytes: Int64 = 4 << 20
    /// The longest subject that is heeded.
    static let subjectBytes = 64

    /// From how many messages on it is looked which way of reading is quicker.
    private static let manyMessages: UInt64 = 256
    /// All of the stream is read where at least one in so many of its messages is of the conversation.
    private static let wholeShare: UInt64 = 4

    private static let noConsumer: UInt32 = 10_014

    /// What is read of one conversation.
    private final class Reading {
        var nudge: OpaquePointer?
        var reader: OpaquePointer?
        /// Whether the reader gives other conversations, too, which are left out here.
        var isWhole = false
        /// Whether it was looked which way of reading is quicker, for all that is behind.
        var isChosen = false
    }

    struct Message {
        var item: SiteOutgoing.Item
        /// Its number in the stream.
        var number: UInt64
    }

    private let watcher: ServerWatcher
    private var connection: OpaquePointer?
    private var context: OpaquePointer?
    private var readings: [String: Reading] = [:]
    /// Where it is heard who is there and who writes.
    private var listening: [String: OpaquePointer] = [:]
    /// Whether the servers pass that on, as far as is known.
    var passesSignals = true

    /// Connects.
    init(
        _ servers: [String], credentials: String?, _ watcher: ServerWatcher
    ) throws(ServerError) {
        self.watcher = watcher
        // One that asks for TLS asks for it of all.
        let isSecure = servers.contains { $0.hasPrefix("tls://") }
        var texts: [UnsafeMutablePointer<CChar>?] = servers.map { strdup($0) }
        defer { for text in texts { free(text) } }
        // For ever: threads of the library may call it at any time, also after the end of the connection.
        let closure = Unmanaged.passRetained(watcher).toOpaque()
        let status = texts.withUnsafeMutableBufferPointer { texts in
            texts.withMemoryRebound(to: UnsafePointer<CChar>?.self) { texts in
                cnats_connect(
                    &self.connection, texts.baseAddress, Int32(texts.count), isSecure, credentials,
                    { _, closure in ServerWatcher.at(closure).post(.lost) },
                    { _, closure in ServerWatcher.at(closure).post(.found) },
                    { connection, _, status, closure in
                        guard status == NATS_NOT_PERMITTED else { return }
                        var text: UnsafePointer<CChar>?
                        _ = natsConnection_GetLastError(connection, &text)
                        let isSignal =
                            text.map { String(cString: $0).contains(SiteServers.signalsPrefix) }
                            ?? false
                        ServerWatcher.at(closure).post(isSignal ? .signalsRefused : .refused)
                    }, closure)
            }
        }
        guard status == NATS_OK else {
            // There never was a connection of which a thread could know.
            Unmanaged<ServerWatcher>.fromOpaque(closure).release()
            throw ServerError(status)
        }
        let made = cnats_stream(
            &self.context, self.connection,
            { _, error, closure in
                guard let error else { return }
                let code = Int32(bitPattern: error.pointee.ErrCode.rawValue)
                ServerWatcher.at(closure).failed(
                    code != 0 ? code : -Int32(bitPattern: error.pointee.Err.rawValue))
            }, closure)
        guard made == NATS_OK else { throw ServerError(made) }
    }

    deinit {
        self.watcher.end()
        for tag in self.readings.keys { self.stopReading(tag) }
        self.listen(to: [])
        jsCtx_Destroy(self.context)
        natsConnection_Destroy(self.connection)
    }

    /// The server in use.
    var server: String? {
        var buffer = [CChar](repeating: 0, count: 512)
        guard natsConnection_GetConnectedUrl(self.connection, &buffer, buffer.count) == NATS_OK
        else { return nil }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: The stream

    struct StreamFacts {
        var made: Int64
        var messages: UInt64
        var bytes: UInt64
        /// The number of the last message.
        var last: UInt64
        var stock: SiteStock
    }

    func facts(of stream: Stream = .items) throws(ServerError) -> StreamFacts {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(0)
        let status = js_GetStreamInfo(&info, self.context, stream.name, nil, &code)
        guard status == NATS_OK, let info else { throw ServerError(status, code) }
        defer { jsStreamInfo_Destroy(info) }
        return StreamFacts(
            made: info.pointee.Created, messages: info.pointee.State.Msgs,
            bytes: info.pointee.State.Bytes, last: info.pointee.State.LastSeq,
            stock: SiteStock(
                bytes: info.pointee.State.Bytes, limit: info.pointee.Config.pointee.MaxBytes,
                oldest: info.pointee.State.FirstTime / 1_000_000))
    }

    /// Makes the stream where it is missing.
    func make(
        _ stream: Stream, bytes: Int64, days: Int64, replicas: Int32
    ) throws(ServerError) {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        var code = jsErrCode(0)
        let status = cnats_make(
            &info, self.context, stream.name, stream.subjects, bytes,
            days * 86_400 * 1_000_000_000, replicas, Int32(stream.messageBytes), &code)
        guard status == NATS_OK else { throw ServerError(status, code) }
        jsStreamInfo_Destroy(info)
    }

    // MARK: Writing

    /// Publishes items, and returns once the servers have all of them.
    func publish(
        _ items: [SiteOutgoing.Item], in stream: Stream = .items
    ) throws(ServerError) {
        _ = self.watcher.takeFailures()
        for item in items {
            let status = item.data.withUnsafeBytes {
                cnats_publish(
                    self.context, item.subject, $0.baseAddress, Int32($0.count), stream.name)
            }
            guard status == NATS_OK else { throw ServerError(status) }
        }
        let status = cnats_complete(self.context)
        let failures = self.watcher.takeFailures()
        if failures.count > 0 {
            throw failures.first > 0
                ? ServerError(NATS_ERR, jsErrCode(UInt32(failures.first)))
                : ServerError(natsStatus(UInt32(-failures.first)))
        }
        guard status == NATS_OK else { throw ServerError(status) }
    }

    // MARK: What nothing stores

    /// What its subjects begin with.
    static let signalsPrefix = "stoa-now."

    /// Publishes what is lost where nobody hears it now.
    func publishSignals(_ items: [SiteOutgoing.Item]) {
        self.watcher.hearing.withLock { $0.published(items) }
        for item in items {
            let status = item.data.withUnsafeBytes {
                natsConnection_Publish(
                    self.connection, item.subject, $0.baseAddress, Int32($0.count))
            }
            guard status == NATS_OK else { return }
        }
    }

    /// Hears what is published in these conversations, and in no other.
    func listen(to tags: [String]) {
        let wanted = Set(tags)
        for (tag, subscription) in self.listening where !wanted.contains(tag) {
            natsSubscription_Destroy(subscription)
            self.listening[tag] = nil
        }
        for tag in wanted.sorted() where self.listening[tag] == nil {
            var subscription: OpaquePointer?
            let status = natsConnection_Subscribe(
                &subscription, self.connection, "\(Self.signalsPrefix)\(tag).*",
                { _, _, message, closure in
                    if let message {
                        ServerWatcher.at(closure).signalled(
                            SiteServers.item(message, atMost: ControlLimits.siteSignalBytes))
                    }
                    natsMsg_Destroy(message)
                }, Unmanaged.passUnretained(self.watcher).toOpaque())
            // Without a connection nobody is heard; the next page says the tags again.
            guard status == NATS_OK, let subscription else { return }
            self.listening[tag] = subscription
        }
    }

    // MARK: Reading

    /// What is under a subject; nil where nothing is.
    func message(
        _ subject: String, in stream: Stream = .items
    ) throws(ServerError) -> SiteOutgoing.Item? {
        var message: OpaquePointer?
        var code = jsErrCode(0)
        let status = js_GetLastMsg(&message, self.context, stream.name, subject, nil, &code)
        if status == NATS_NOT_FOUND { return nil }
        guard status == NATS_OK, let message else { throw ServerError(status, code) }
        defer { natsMsg_Destroy(message) }
        return Self.item(message, atMost: stream.messageBytes)
    }

    /// Reads a conversation from a number on, and is told of what is published there.
    func read(_ tag: String, from number: UInt64) throws(ServerError) {
        let reading = self.readings[tag] ?? Reading()
        self.readings[tag] = reading
        let subject = "stoa.\(tag).*"
        if reading.nudge == nil {
            let status = natsConnection_Subscribe(
                &reading.nudge, self.connection, subject,
                { _, _, message, closure in
                    if let message {
                        ServerWatcher.at(closure).published(SiteServers.item(message))
                    }
                    natsMsg_Destroy(message)
                }, Unmanaged.passUnretained(self.watcher).toOpaque())
            guard status == NATS_OK else { throw ServerError(status) }
        }
        let own = try self.reader(of: subject, from: number)
        natsSubscription_Destroy(reading.reader)
        (reading.reader, reading.isWhole, reading.isChosen) = (own, false, false)
        // A server of 2.9 looks through all subjects of a block, thousands, for each message of one conversation.
        let pending = Self.pending(own)
        guard pending >= Self.manyMessages else { return }
        reading.isChosen = true
        let whole = try self.reader(of: ">", from: number)
        guard Self.pending(whole) / Self.wholeShare <= pending else {
            return natsSubscription_Destroy(whole)
        }
        natsSubscription_Destroy(own)
        (reading.reader, reading.isWhole) = (whole, true)
    }

    private func reader(
        of subject: String, from number: UInt64
    ) throws(ServerError) -> OpaquePointer? {
        var reader: OpaquePointer?
        var code = jsErrCode(0)
        let status = cnats_reader(
            &reader, self.context, Stream.items.name, subject, number, &code)
        guard status == NATS_OK else { throw ServerError(status, code) }
        return reader
    }

    /// How many messages a reader has not given yet; none where the server does not say.
    private static func pending(_ reader: OpaquePointer?) -> UInt64 {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        guard natsSubscription_GetConsumerInfo(&info, reader, nil, nil) == NATS_OK, let info
        else { return 0 }
        defer { jsConsumerInfo_Destroy(info) }
        return info.pointee.NumPending
    }

    func stopReading(_ tag: String) {
        guard let reading = self.readings.removeValue(forKey: tag) else { return }
        natsSubscription_Destroy(reading.nudge)
        natsSubscription_Destroy(reading.reader)
    }

    struct Page {
        var messages: [Message] = []
        /// How many come behind them.
        var behind: UInt64 = 0
        /// Whether the server gave anything, also of other conversations.
        var hasCome = false
    }

    /// The next messages of a conversation that is read; nil where the server has forgotten the reader, which was not used
    /// for a while.
    func fetch(_ tag: String) throws(ServerError) -> Page? {
        guard let reading = self.readings[tag], let reader = reading.reader else { return nil }
        var list = natsMsgList()
        var code = jsErrCode(0)
        let status = cnats_fetch(&list, reader, Self.fetchMessages, Self.fetchBytes, &code)
        if code.rawValue == Self.noConsumer { return nil }
        guard status == NATS_OK else { throw ServerError(status, code) }
        defer { natsMsgList_Destroy(&list) }
        var page = Page()
        page.hasCome = list.Count > 0
        let prefix = "stoa.\(tag)."
        for index in 0..<Int(list.Count) {
            var number: UInt64 = 0
            guard let message = list.Msgs[index], cnats_place(message, &number, &page.behind) else {
                continue
            }
            guard !reading.isWhole || String(cString: natsMsg_GetSubject(message)).hasPrefix(prefix)
            else { continue }
            page.messages.append(Message(item: Self.item(message), number: number))
        }
        if page.behind == 0 { reading.isChosen = false }
        // At the end what is new is read of the conversation alone again; and where much has come, it is chosen anew.
        let isOver = reading.isWhole && page.behind == 0
        if isOver || !reading.isChosen && page.behind >= Self.manyMessages {
            natsSubscription_Destroy(reader)
            (reading.reader, reading.isWhole) = (nil, false)
        }
        return page
    }

    fileprivate static func item(
        _ message: OpaquePointer, atMost bytes: Int = Stream.items.messageBytes
    ) -> SiteOutgoing.Item {
        let subject = String(cString: natsMsg_GetSubject(message))
        // Nothing of ours is called so.
        guard subject.utf8.count <= Self.subjectBytes else {
            return SiteOutgoing.Item(subject: "", data: [])
        }
        let given = max(0, Int(natsMsg_GetDataLength(message)))
        // Nothing of ours is so large: it is refused as what it is.
        let count = given <= bytes ? given : 0
        let bytes = natsMsg_GetData(message).map {
            Array(UnsafeRawBufferPointer(start: $0, count: count))
        }
        return SiteOutgoing.Item(
            subject: subject, data: bytes ?? [])
    }
}

extension ServerWatcher {
    /// Back from what a callback was given.
    static func at(_ closure: UnsafeMutableRawPointer?) -> ServerWatcher {
        guard let closure else { preconditionFailure("callbacks get what they were set with") }
        return Unmanaged<ServerWatcher>.fromOpaque(closure).takeUnretainedValue()
    }
}
