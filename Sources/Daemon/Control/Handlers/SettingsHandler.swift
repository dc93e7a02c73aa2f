internal import ControlAPI

extension SettingsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "settings")
        let configuration = shell.configuration
        reply.answer(
            cut.page(of: Setting.ofUsers, byteLimit: reply.listBytes) {
                PagePlace(rank: 0, key: $0.key)
            } element: {
                SettingResult($0, in: configuration)
            })
    }
}

extension SetSettingMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let setting = try Setting(named: params.name)
        try shell.change(setting, to: params.value, reply)
    }
}

extension SettingResult {
    /// How things stand with a setting.
    init(_ setting: Setting, in configuration: Configuration) {
        let description = setting.description
        let given = configuration.given.values[setting]?.last
        self.init()
        self.name = setting.key
        self.type = setting.kind
        self.choices = setting.choices
        self.fallback = description.fallback
        self.value = given?.text ?? description.fallback
        self.place = given.map { $0.place(of: setting) }
        self.lockedBy = configuration.given.locks[setting]
        self.restart = configuration.pending.contains(setting) ? true : nil
        self.summary = description.help
    }
}
