/// The method `setSetting`.
package enum SetSettingMethod: ControlMethod {
    package static let description = MethodDescription(
        "setSetting", "Change a setting.", result: "setting",
        errors: [.notFound, .refused, .busy, .storageFailed], isChange: true,
        details:
            "The value is kept in stoad.conf.d/zz-settings.conf beside the user's stoad.conf, "
            + "which is read after the user's other files. It counts at once, unless "
            + "the result says restart. Each change is told to subscriptions with the kind setting.",
        reasons: [
            "unknownSetting": "there is no such setting, or only a file can set it",
            "badValue": "the setting cannot have this value",
            "locked": "the administrator has locked the setting",
            "overridden": "an option, the environment or a later file overrides it",
            "unreadableSettings": "a settings file has an error; correct it first",
            "noSettingsFile": "the daemon does not know where the user's files are",
        ],
        example: ["name": "DirectFrom", "value": "anyone"])

    /// What to change.
    package struct Params: ControlValue {
        package var name = ""
        package var value: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "The setting's name: DirectFrom.")
            visitor.field(
                "value", &self.value, .bytes(ControlLimits.wordBytes),
                "The new value; left out: the default, or what another file says.")
        }
    }

    package typealias Result = SettingResult
}
