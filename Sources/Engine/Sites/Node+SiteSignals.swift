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
        places.filter {
            // What they lack of it they ask for before they have answered, too.
            $0.value.sort == .direct && $0.value.scope == .all
                || self.tellsAtSites(in: $0.key, $0.value)
        }.map(\.value.root)
    }

    /// Answers with what is to be told now; it counts as told from here on.
    mutating func takeSiteSignals(
        _ places: [ConversationID: SitePlace], _ request: RequestID
    ) {
        let audiences = places.sorted { $0.key < $1.key }.compactMap {
            id, place -> SiteSignals.Audience? in
            guard self.tellsAtSites(in: id, place) else { return nil }
            let devices = self.unlinkedMembers(of: id)
            guard !devices.isEmpty else { return nil }
            return SiteSignals.Audience(
                conversation: id, isDirect: place.sort == .direct, devices: devices,
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

    /// The devices of others in a conversation that have no link here; of a large one no more than shows that it is.
    private func unlinkedMembers(of id: ConversationID) -> Set<PeerID> {
        guard let conversation = self.conversations.table[id] else { return [] }
        var found: Set<PeerID> = []
        func note(_ device: PeerID) {
            guard found.count <= Limits.siteAudienceDevices, self.links.id(of: device) == nil,
                !self.isOwnDevice(device), self.tier(of: device) > .blocked,
                !self.persons.people.isRevoked(device)
            else { return }
            found.insert(device)
        }
        if conversation.kind.direct != nil {
            for device in conversation.authors { note(device) }
        } else if conversation.kind.group != nil {
            for device in conversation.members { note(device) }
        } else {
            for (device, attendance) in conversation.attendance where attendance.isPresent {
                note(device)
            }
        }
        return found
    }

    /// Whether a device takes part in a conversation, as what was written there says.
    func isSiteMember(_ device: PeerID, of conversation: Conversation) -> Bool {
        if conversation.kind.direct != nil { return conversation.authors.contains(device) }
        if conversation.kind.group != nil { return conversation.members.contains(device) }
        return conversation.attendance[device]?.isPresent == true
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
        guard self.isSiteMember(device, of: conversation) else {
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
