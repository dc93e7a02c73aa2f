internal import Crypto
package import Formats

/// What of the user is to be told at other sites now, and what seals it.
package struct SiteTold: Hashable, Sendable {
    package var signal: SiteSignal
    package var root: SiteRoot
}

/// Who is there and who writes, by way of servers.
///
/// `Docs/Protocol/Sites.md` section 12.
extension Node {
    // MARK: What is told

    /// In which conversations signals of other sites are listened for: under what seals them there now.
    package func siteListening(_ places: [ConversationID: SitePlace]) -> [SiteRoot] {
        places.filter { self.tellsAtSites(in: $0.key, $0.value) }.map(\.value.root)
    }

    /// Answers with what is to be told now; it counts as told from here on.
    mutating func takeSiteSignals(
        _ places: [ConversationID: SitePlace], _ request: RequestID
    ) {
        let audiences = places.sorted { $0.key < $1.key }.compactMap {
            id, place -> SiteSignals.Audience? in
            guard self.tellsAtSites(in: id, place) else { return nil }
            let devices = self.siteMembers(of: id).filter {
                self.links.id(of: $0) == nil && !self.isOwnDevice($0)
                    && self.tier(of: $0) > .blocked && !self.persons.people.isRevoked($0)
            }
            guard !devices.isEmpty else { return nil }
            return SiteSignals.Audience(
                conversation: id, isDirect: place.sort == .direct, devices: Set(devices),
                newest: self.newestEntry(of: self.id, in: id))
        }
        let (due, next) = self.signals.takeSiteSignals(
            to: audiences, tellsPresence: self.own.configuration.preferences.tellsPresence,
            at: self.now)
        let told = due.compactMap { due in
            places[due.conversation].map { place in
                SiteTold(
                    signal: SiteSignal(
                        due.word, in: due.conversation, at: due.time, by: self.own.signer),
                    root: place.root)
            }
        }
        self.answer(request, .siteSignals(told, next: next))
    }

    /// Whether the user tells there what nothing stores: they have written there, and nobody who is out hears it.
    private func tellsAtSites(in id: ConversationID, _ place: SitePlace) -> Bool {
        guard place.scope == .all, let conversation = self.conversations.table[id],
            conversation.isJoined
        else { return false }
        switch place.sort {
        case .room: return conversation.count(of: self.id) > 0
        case .direct: return self.isAnswered(id)
        case .group: return self.mayTell(id)
        }
    }

    /// The devices of a conversation, as what was written there says.
    private func siteMembers(of id: ConversationID) -> [PeerID] {
        guard let conversation = self.conversations.table[id] else { return [] }
        return conversation.kind.direct == nil ? conversation.members : conversation.authors
    }

    /// When a device has written last, in milliseconds.
    private func newestEntry(of device: PeerID, in id: ConversationID) -> UInt64 {
        guard let conversation = self.conversations.table[id] else { return 0 }
        return conversation.names(of: device).map {
            conversation.log($0).head.time.milliseconds
        }.max() ?? 0
    }

    // MARK: What comes in

    /// Takes what somebody tells; nothing of it is kept.
    mutating func importSignal(_ signal: SiteSignal) -> SiteVerdict {
        let device = signal.device
        guard let conversation = self.conversations.table[signal.conversation],
            conversation.isJoined, !conversation.isRequest,
            self.tier(of: device) > .blocked, !self.persons.people.isRevoked(device)
        else { return .refused(.foreign) }
        guard !self.isOwnDevice(device) else { return .known }
        guard self.siteMembers(of: signal.conversation).contains(device) else {
            return .refused(.early)
        }
        guard let word = signal.word, self.signals.sites.isNews(signal, at: self.now) else {
            return .known
        }
        // What they wrote may have come first.
        if case .typing = word,
            signal.time <= self.newestEntry(of: device, in: signal.conversation)
        {
            return .known
        }
        guard signal.isValid else { return .refused(.forged) }
        self.perform(
            self.signals.receiveAtSite(
                signal, self.tier(of: device), self.links, at: self.now))
        return .known
    }
}
