import ControlAPI

/// The command `stoa settings`.
struct SettingsCommand: Subcommand {
    static let syntax = CommandSyntax(
        SettingsMethod.description.name,
        "Show or change the settings that you can change while the daemon runs.",
        examples: [
            "stoa settings", "stoa settings DirectFrom", "stoa settings DirectFrom anyone",
            "stoa settings DirectFrom --default",
        ], operands: ["[NAME]", "[VALUE]"],
        options: [
            OptionSyntax("--default", nil, "remove your value, so that the default counts again")
        ],
        details: [
            "A change counts at once, unless it says that it needs a restart. It is kept in ~/.config/stoa/stoad.conf.d/zz-settings.conf; stoad.conf(5) explains every setting.",
            "An administrator can lock a setting. With --json it prints one setting per line.",
        ])

    private let name: String?
    private let change: SetSettingMethod.Params?

    init(_ arguments: ParsedArguments) throws(Failure) {
        let (name, value) = (arguments.operand(0), arguments.operand(1))
        let isReset = arguments.has("--default")
        guard value == nil || !isReset else {
            throw .usage("--default takes no value", next: "give either a VALUE or --default")
        }
        guard name != nil || !isReset else {
            throw .usage("NAME is missing", next: "usage: stoa settings NAME --default")
        }
        self.name = name
        self.change =
            value == nil && !isReset
            ? nil
            : SetSettingMethod.Params {
                $0.name = name ?? ""
                $0.value = value
            }
    }

    func run(in context: CommandContext) throws(Failure) {
        if let change {
            try context.show(SetSettingMethod.self, change) { setting in
                "\(setting.name.shown) is \(setting.value.shown)"
                    + (setting.restart == true
                        ? " from the next start: systemctl --user restart stoad\n" : " now\n")
            }
            return
        }
        guard let name else {
            return try context.showList(
                SettingsMethod.self, empty: "no settings",
                heading: ["NAME", "VALUE", "DEFAULT", "", "WHAT"], row: Self.row)
        }
        try self.showOne(name, in: context)
    }

    private func showOne(_ name: String, in context: CommandContext) throws(Failure) {
        var names: [String] = []
        var found: Received<SettingResult>?
        try context.forEach(SettingsMethod.self) { (setting) throws(Failure) in
            names.append(setting.name)
            if setting.name.lowercased() == name.lowercased() { found = setting }
        }
        guard let found else {
            throw .usage(
                "there is no setting \"\(TerminalText.line(name))\"",
                next: NearestName.find(name, among: names).map { "did you mean \($0)?" }
                    ?? "see stoa settings")
        }
        if context.json { return try context.console.print(found.json) }
        let setting = found.value
        let rows = [
            ["name", setting.name.shown], ["value", setting.value.shown],
            ["default", setting.fallback.shown],
            ["choices", (setting.choices ?? []).joined(separator: ", ").shown],
            ["set in", setting.place.shown], ["locked in", setting.lockedBy.shown],
            ["restart", setting.restart == true ? "needed" : ""], ["what", setting.summary.shown],
        ]
        try context.console.print(context.console.table(rows.filter { !$0[1].isEmpty }))
    }

    private static func row(_ setting: SettingResult) -> [String] {
        let state =
            setting.lockedBy != nil ? "locked" : setting.restart == true ? "after a restart" : ""
        return [
            setting.name.shown, setting.value.shown, setting.fallback.shown, state,
            setting.summary.shown,
        ]
    }
}
