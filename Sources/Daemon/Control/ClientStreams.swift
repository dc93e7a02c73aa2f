internal import ControlAPI
internal import Engine
internal import Formats

/// The ephemeral streams that clients have open: plain state of the shell, on the loop.
final class ClientStreams {
    /// Senders of whom one reader knows how far they are: more than may be linked.
    static let senders = 256
    /// Streams of one of them, the newest: who opens more harms none but themselves.
    static let perSender = 8
    static let perClient = 64

    /// One whose packets a client gets.
    final class Reader {
        let client: ControlConnection
        /// Nil for all.
        let conversation: ConversationID?
        let name: StreamName
        /// What has come of each sender's streams, the newest last.
        var tallies: [PeerID: [(stream: UInt64, tally: StreamTally)]] = [:]
        var backlog = PacketBacklog()

        init(_ client: ControlConnection, _ conversation: ConversationID?, _ name: StreamName) {
            self.client = client
            self.conversation = conversation
            self.name = name
        }
    }

    var readers: [SubscriptionKey: Reader] = [:]
    /// Those that clients send, by the number that the node gave them.
    var writers: [SubscriptionKey: UInt64] = [:]

    /// How many a client has open.
    func count(of client: UInt64) -> Int {
        self.readers.keys.count { $0.client == client }
            + self.writers.keys.count { $0.client == client }
    }
}

extension NodeShell {
    /// Opens one to receive.
    func openReader(
        _ name: StreamName, in conversation: ConversationID?, for client: ControlConnection
    ) -> Int64 {
        let key = self.clients.makeKey(for: client)
        self.clients.streams.readers[key] = ClientStreams.Reader(client, conversation, name)
        client.drained = { self.turn { self.resume(client: client.number) } }
        return key.number
    }

    /// Gives a packet to all who receive its stream.
    func receive(
        _ packet: StreamPacket, stream: UInt64, of peer: PeerID, in conversation: ConversationID
    ) {
        let readers = self.clients.streams.readers.filter {
            ($0.value.conversation ?? conversation) == conversation
                && $0.value.name == packet.name
        }
        for (key, reader) in readers.sorted(by: { $0.key < $1.key }) {
            self.give(packet, stream: stream, of: peer, in: conversation, to: reader, key)
        }
    }

    private func give(
        _ packet: StreamPacket, stream: UInt64, of peer: PeerID, in conversation: ConversationID,
        to reader: ClientStreams.Reader, _ key: SubscriptionKey
    ) {
        var event = StreamEvent()
        switch self.tally(packet, stream: stream, of: peer, reader) {
        case .drop: return
        case .late: event.late = true
        case .give(let missed) where missed > 0:
            self.tellMissed(Int64(clamping: missed), of: peer, reader, key)
        case .give: break
        }
        event.stream = key.number
        event.conversation = conversation.description
        event.peer = peer.description
        event.peerName = self.markedName(of: peer)
        event.number = Int64(clamping: packet.isEnd ? packet.number - 1 : packet.number)
        event.data = packet.isEnd ? nil : Base64(packet.bytes)
        event.end = packet.isEnd ? true : nil
        self.write(
            PacketBacklog.Item(
                line: event.line, isPacket: !packet.isEnd,
                // A late one was told as missed before.
                missing: packet.isEnd || event.late == true ? 0 : 1), to: reader)
    }

    /// Counts a packet among those of its sender.
    private func tally(
        _ packet: StreamPacket, stream: UInt64, of peer: PeerID, _ reader: ClientStreams.Reader
    ) -> StreamTally.Verdict {
        if reader.tallies[peer] == nil, reader.tallies.count >= ClientStreams.senders {
            // There are fewer links, so that some have gone.
            reader.tallies = reader.tallies.filter {
                self.peerStatus(of: $0.key).state == .linked
            }
        }
        var known = reader.tallies[peer] ?? []
        let index = known.firstIndex { $0.stream == stream }
        var tally = index.map { known.remove(at: $0).tally } ?? StreamTally()
        let verdict = tally.receive(packet)
        if !packet.isEnd { known.append((stream, tally)) }
        if known.count > ClientStreams.perSender { known.removeFirst() }
        reader.tallies[peer] = known.isEmpty ? nil : known
        return verdict
    }

    private func tellMissed(
        _ missed: Int64, of peer: PeerID, _ reader: ClientStreams.Reader, _ key: SubscriptionKey
    ) {
        var event = StreamErrorEvent()
        event.stream = key.number
        event.peer = peer.description
        event.reason = .missed
        event.missed = missed
        self.write(
            PacketBacklog.Item(line: event.line, isPacket: false, missing: missed), to: reader)
    }

    private func write(_ item: PacketBacklog.Item, to reader: ClientStreams.Reader) {
        guard !reader.backlog.isEmpty || !reader.client.hasRoom else {
            return reader.client.write(item.line)
        }
        reader.backlog.add(item)
    }

    /// Gives a client that reads again what waits for it, and says what gave way.
    func resumeStreams(of client: UInt64) {
        for key in self.clients.streams.readers.keys.sorted() where key.client == client {
            guard let reader = self.clients.streams.readers[key], reader.client.hasRoom,
                !reader.backlog.isEmpty
            else { continue }
            let backlog = reader.backlog.take()
            if backlog.dropped > 0 {
                var event = StreamErrorEvent()
                event.stream = key.number
                event.reason = .slow
                event.missed = backlog.dropped
                event.cached = backlog.packets
                reader.client.write(event.line)
            }
            for item in backlog.items { reader.client.write(item.line) }
        }
    }

    /// A client has gone: what it sends ends, and what it receives is dropped.
    func closeStreams(of client: UInt64) {
        for key in self.clients.streams.readers.keys where key.client == client {
            self.clients.streams.readers[key] = nil
        }
        for (key, stream) in self.clients.streams.writers where key.client == client {
            self.clients.streams.writers[key] = nil
            self.request(.closeStream(stream))
        }
    }
}
