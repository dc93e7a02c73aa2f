internal import Formats

/// The conversations here that are no open rooms, by what people call them: so that naming one costs the
/// same, however many there are.
struct PrivateConversations: Sendable {
    private var directs: [PersonID: DirectConversation] = [:]
    private var persons: [PeerID: PersonID] = [:]
    private var secrets: [Room: [SecretRoom]] = [:]
    private var groups: [Room: [Group]] = [:]
    /// Those that a letter from another site has begun, as far as that is known since the start.
    private var letters: Set<ConversationID> = []

    /// Whether a letter from another site has begun a conversation.
    func isByLetter(_ id: ConversationID) -> Bool { self.letters.contains(id) }

    mutating func noteLetter(_ id: ConversationID) {
        guard self.letters.count < Limits.conversations else { return }
        self.letters.insert(id)
    }

    mutating func add(_ kind: ConversationKind) {
        switch kind {
        case .room: break
        case .direct(let direct):
            self.remove(direct)
            self.directs[direct.person.id] = direct
            self.persons[direct.device] = direct.person.id
        case .secret(let secret):
            let room = Room(secret.name, in: secret.realm)
            if self.secrets[room]?.contains(secret) == true { return }
            self.secrets[room, default: []].append(secret)
            self.secrets[room]?.sort { $0.id < $1.id }
        case .group(let group):
            let room = Room(group.name, in: group.realm)
            if self.groups[room]?.contains(group) == true { return }
            self.groups[room, default: []].append(group)
            self.groups[room]?.sort { $0.id < $1.id }
        }
    }

    /// Forgets a conversation.
    mutating func remove(_ kind: ConversationKind) {
        switch kind {
        case .room: break
        case .direct(let direct): self.remove(direct)
        case .secret(let secret):
            let room = Room(secret.name, in: secret.realm)
            self.secrets[room]?.removeAll { $0 == secret }
            if self.secrets[room]?.isEmpty == true { self.secrets[room] = nil }
        case .group(let group):
            let room = Room(group.name, in: group.realm)
            self.groups[room]?.removeAll { $0 == group }
            if self.groups[room]?.isEmpty == true { self.groups[room] = nil }
        }
    }

    /// Forgets the conversation with a person, by whichever of their devices it was named.
    mutating func remove(_ direct: DirectConversation) {
        guard let known = self.directs.removeValue(forKey: direct.person.id) else { return }
        self.persons[known.device] = nil
    }

    func direct(with person: PersonID) -> DirectConversation? { self.directs[person] }

    /// The conversation with the person whose device the user named.
    func direct(at device: PeerID) -> DirectConversation? {
        self.persons[device].flatMap { self.directs[$0] }
    }

    /// All conversations of two.
    var allDirects: some Collection<DirectConversation> { self.directs.values }

    /// The secret rooms of a name, ascending by id.
    func secrets(named room: Room) -> [SecretRoom] {
        self.secrets.isEmpty ? [] : self.secrets[room] ?? []
    }

    /// The groups of a name, ascending by id.
    func groups(named room: Room) -> [Group] {
        self.groups.isEmpty ? [] : self.groups[room] ?? []
    }

    /// The secret rooms and groups of a name.
    func named(_ room: Room) -> [ConversationKind] {
        self.secrets(named: room).map { .secret($0) } + self.groups(named: room).map { .group($0) }
    }
}
