internal import ControlAPI
internal import Engine
internal import Formats

/// Telling that lists have changed which strangers can change: without content, and seldom.
extension NodeShell {
    /// A list has changed; costs nothing where nobody follows lists.
    func changed(_ list: ChangedList) {
        let isFollowed = self.clients.subscriptions.values.contains { $0.signals.follows(list) }
        guard isFollowed, let wait = self.clients.lists.note(list, at: self.now.monotonic) else {
            return
        }
        self.after(wait) { self.tellLists() }
    }

    private func tellLists() {
        let lists = self.clients.lists.take(at: self.now.monotonic)
        for subscription in self.clients.subscriptions() {
            for list in lists where subscription.signals.follows(list) {
                guard subscription.client.hasRoom else {
                    subscription.signals.isBehind = true
                    break
                }
                self.tell(list, to: subscription)
            }
        }
    }

    /// Says of all lists that they are to be read: at first, and where something was left out.
    func tellAllLists(to subscription: Subscription) {
        for list in [ChangedList.rooms, .peers, .requests, .devices]
        where subscription.signals.follows(list) {
            self.tell(list, to: subscription)
        }
        self.tellAllGroups(to: subscription)
        guard subscription.signals.kinds.contains(.members) else { return }
        let joined = self.node.ask { $0.joinedConversations.keys.sorted() }
        for id in joined where subscription.signals.follows(.members(id)) {
            self.tell(.members(id), to: subscription)
        }
    }

    /// Says of all groups that they are to be read: where something was left out.
    private func tellAllGroups(to subscription: Subscription) {
        guard subscription.signals.kinds.contains(.roster) else { return }
        let joined = self.node.ask { $0.joinedConversations.sorted { $0.key < $1.key } }
        for (id, kind) in joined
        where kind.group != nil && subscription.signals.follows(.roster(id)) {
            self.tell(.roster(id), to: subscription)
        }
    }

    private func tell(_ list: ChangedList, to subscription: Subscription) {
        let newest = self.clients.newestShown.rawValue
        if case .members(let id) = list {
            // It may have been left meanwhile.
            guard let status = self.node.ask({ $0.conversationStatus(of: id) }) else { return }
            let event = MembersEvent {
                $0.subscription = subscription.key.number
                $0.conversation = id.description
                $0.conversationName = self.name(of: id)
                $0.members = Int64(status.people)
                $0.cursor = newest
            }
            return subscription.client.write(event.line)
        }
        if case .roster(let id) = list {
            let event = RosterEvent {
                $0.subscription = subscription.key.number
                $0.conversation = id.description
                $0.conversationName = self.name(of: id)
                $0.cursor = newest
            }
            return subscription.client.write(event.line)
        }
        guard let word = ChangedListWord(list),
            // As with the method of that name.
            ![.requests, .devices].contains(word) || subscription.client.access != .group
        else { return }
        let event = ListEvent {
            $0.subscription = subscription.key.number
            $0.list = word
            $0.cursor = newest
        }
        subscription.client.write(event.line)
    }
}

extension ChangedListWord {
    fileprivate init?(_ list: ChangedList) {
        switch list {
        case .rooms: self = .rooms
        case .peers: self = .peers
        case .requests: self = .requests
        case .devices: self = .devices
        case .members, .roster: return nil
        }
    }
}

extension SignalFilter {
    func follows(_ list: ChangedList) -> Bool {
        switch list {
        case .rooms, .peers, .requests, .devices: self.kinds.contains(.list)
        case .members(let conversation):
            self.kinds.contains(.members)
                && (self.conversation == nil || self.conversation == conversation)
        case .roster(let conversation):
            self.kinds.contains(.roster)
                && (self.conversation == nil || self.conversation == conversation)
        }
    }
}
