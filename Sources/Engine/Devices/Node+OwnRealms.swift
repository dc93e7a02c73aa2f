internal import Formats

/// Which realms the user has changed here, and which on another device.
///
/// A realm is in a file, not in the store, so what is told of it and what is so here do not change at one moment: only
/// what is news from another device, or follows upon what is here, is done here.
struct OwnRealms: Sendable {
    /// Those that were changed here, until that is told.
    private(set) var untold: Set<RealmID> = []
    /// Those of which another device has said something since this node began, until it is so here.
    private(set) var news: Set<RealmID> = []

    /// The user has changed a realm here, or what was told of it is done.
    mutating func change(_ realm: RealmID) {
        self.untold.insert(realm)
        self.news.remove(realm)
    }

    mutating func tell(_ realm: RealmID) { self.untold.remove(realm) }

    /// Another device says something of an item.
    mutating func hear(_ item: OwnItem) {
        guard item.set == OwnSet.realms.rawValue, let key = item.key else { return }
        self.news.insert(RealmID(key))
    }
}

/// Realms follow the user to all of their devices, with every new secret.
extension Node {
    /// The realms change: what the other devices do not know is told to them.
    mutating func noteOwnRealms(as realms: Realms) {
        guard self.mine.isShared else { return }
        for id in Set((self.own.realms.secret + realms.secret).map(\.id))
        where realms.realm(id)?.secret != self.own.realms.realm(id)?.secret {
            self.mine.realms.change(id)
        }
    }

    /// What there is to tell of a realm; nil where an administrator installed it.
    func ownRealm(_ id: RealmID) -> OwnData.State? {
        guard !self.own.realms.installed.contains(id) else { return nil }
        guard let realm = self.own.realms.realm(id) else { return OwnData.State(isIn: false) }
        return OwnData.State(isIn: true, value: Array(RealmInvitation(realm).line.utf8))
    }

    /// The realm that is told of; nil for one that is left, or not as described.
    private func realm(told state: OwnData.State?, _ id: RealmID) -> Realm? {
        guard let state, state.isIn else { return nil }
        let line = String(decoding: state.value, as: UTF8.self)
        return (try? RealmInvitation(line).realm).flatMap { $0.id == id ? $0 : nil }
    }

    /// Has a batch say which realms the user has changed.
    mutating func tellRealms(_ entries: inout [OwnItem: OwnEntry]) {
        for id in self.mine.realms.untold.sorted() {
            let item = OwnItem(id)
            let told = self.realm(told: self.mine.state(of: item), id)
            // What a realm is called, and until when its earlier secret counts, is each device's own.
            let isSame = told?.secret == self.own.realms.realm(id)?.secret
            let entry = isSame ? nil : self.ownRealm(id).flatMap { self.mine.entry(item, $0) }
            if let entry { entries[item] = entry } else { self.mine.realms.tell(id) }
        }
    }

    /// Has the shell do here what is told of a realm.
    mutating func followRealm(_ id: RealmID, _ state: OwnData.State) {
        let realms = self.own.realms
        guard !self.mine.realms.untold.contains(id), !realms.installed.contains(id) else { return }
        let isNews = self.mine.realms.news.contains(id)
        let here = realms.realm(id)
        guard state.isIn else {
            if let here, isNews { self.actions.append(.change(here, isJoined: false)) }
            return
        }
        guard let told = self.realm(told: state, id) else { return }
        guard let here else {
            let isLeft = realms.left[id] != nil
            if isNews || !isLeft, realms.secret.count < Limits.realms {
                self.actions.append(.change(told, isJoined: true))
            }
            return
        }
        // A secret before the one here is never taken up again.
        guard told.secret != here.secret, told.secret != here.previous?.secret,
            isNews || told.previous?.secret == here.secret
        else { return }
        let renewed = Realm(
            id: id, name: here.name, secret: told.secret, previous: told.previous)
        self.actions.append(.change(renewed, isJoined: true))
    }
}
