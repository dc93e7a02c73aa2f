/// The method `settings`.
package enum SettingsMethod: ControlMethod {
    package static let description = MethodDescription(
        "settings", "List the settings that you can change while the daemon runs.",
        result: "settings", hasLargeAnswer: true,
        details:
            "stoad.conf(5) explains each of them, and has some more that only a file can set.")

    package typealias Params = PageParams

    /// The settings by name.
    package typealias Result = Page<SettingResult>
}
