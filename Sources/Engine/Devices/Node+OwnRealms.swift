internal import Formats

/// A realm that the user joins on one device is joined on all of them.
///
/// No more than that: a new secret that followed would reach a stolen device, too, and a stolen device could take all
/// others out of their realms.
extension Node {
    /// Takes note of realms that the user leaves; one that is only gone from its folder is not left.
    mutating func noteOwnRealms(as realms: Realms) {
        let left = Set(realms.left.keys).subtracting(self.own.realms.left.keys)
        if self.mine.isShared { self.mine.leftRealms.formUnion(left) }
        self.mine.leftRealms.subtract(realms.secret.map(\.id))
    }

    /// Has a batch say in which realms the user is, and which they have left.
    mutating func tellRealms(_ entries: inout [OwnItem: OwnEntry]) {
        let realms = self.own.realms
        for realm in realms.secret where !realms.installed.contains(realm.id) {
            // Where it is told already there is nothing to write, whatever the secret is by now.
            let value = Array(RealmInvitation(realm).line.utf8)
            let item = OwnItem(realm.id)
            entries[item] = self.mine.entry(item, OwnData.State(isIn: true, value: value))
        }
        for id in self.mine.leftRealms.sorted() {
            let entry = self.mine.entry(OwnItem(id), OwnData.State(isIn: false))
            entries[OwnItem(id)] = entry
            if entry == nil { self.mine.leftRealms.remove(id) }
        }
    }

    /// Asks the shell to join a realm that another device names, unless the user was in it here before.
    mutating func followRealm(_ id: RealmID, _ state: OwnData.State) {
        let realms = self.own.realms
        guard state.isIn, !realms.contains(id), realms.left[id] == nil,
            realms.secret.count < Limits.realms,
            let told = try? RealmInvitation(String(decoding: state.value, as: UTF8.self)).realm,
            told.id == id
        else { return }
        self.actions.append(.join(told))
    }
}
