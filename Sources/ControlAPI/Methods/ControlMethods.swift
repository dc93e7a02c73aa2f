/// The one table of methods: the daemon dispatches by it, and `OpenRPC.document` is made from it.
public enum ControlMethods {
    /// All methods in the order of the documentation.
    public static let all: [any ControlMethod.Type] = [
        StatusMethod.self,
        PeersMethod.self,
        DialsMethod.self,
        RefusalsMethod.self,
        RoomsMethod.self,
        ConversationsMethod.self,
        MembersMethod.self,
        JoinMethod.self,
        LeaveMethod.self,
        CreateConversationMethod.self,
        InviteMethod.self,
        RequestsMethod.self,
        AcceptMethod.self,
        DeclineMethod.self,
        SendMethod.self,
        EditMethod.self,
        EraseMethod.self,
        ReactMethod.self,
        InfoMethod.self,
        HistoryMethod.self,
        SearchMethod.self,
        SubscribeMethod.self,
        UnsubscribeMethod.self,
        AcknowledgeMethod.self,
        ConsumersMethod.self,
        RemoveConsumerMethod.self,
        ConnectMethod.self,
        ProfileMethod.self,
        WhoisMethod.self,
        PeopleMethod.self,
        AddPersonMethod.self,
        RemovePersonMethod.self,
        VerifyMethod.self,
        BlockMethod.self,
        UnblockMethod.self,
        RealmsMethod.self,
        RealmNewMethod.self,
        RealmInviteMethod.self,
        RealmJoinMethod.self,
        RealmLeaveMethod.self,
        RealmRotateMethod.self,
        BackupMethod.self,
        RestoreMethod.self,
        DiscoverMethod.self,
    ]

    /// The methods whose answers may be as large as a line.
    public static let withLargeAnswers = Set(
        all.filter { $0.description.hasLargeAnswer }.map { $0.description.name })
}
