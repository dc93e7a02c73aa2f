/// One setting, in `settings` and `setSetting`.
package struct SettingResult: ControlValue {
    /// What a value looks like.
    package enum Kind: String, WordValue {
        /// One of some words.
        case choice
        /// Bytes, or a number with K, M, G or T.
        case size
        /// Any other text.
        case text
    }

    package var name = ""
    package var type = Kind.text
    package var choices: [String]?
    package var value = ""
    package var fallback = ""
    package var place: String?
    package var lockedBy: String?
    package var restart: Bool?
    package var summary = ""

    package init() {}

    /// Others refer to it as `Setting`.
    package static var schemaName: String? { "Setting" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("name", &self.name, .any, "The setting's name, as in stoad.conf.")
        visitor.field(
            "type", &self.type, .any,
            "choice (one of choices), size (bytes, or a number with K, M, G or T) or text.")
        visitor.field("choices", &self.choices, .any, "The words that a choice can be.")
        visitor.field(
            "value", &self.value, .any, "The value, or the default if no value is set.")
        visitor.field(
            "default", &self.fallback, .any, "The default: a value, or a description of it.")
        visitor.field(
            "place", &self.place, .any,
            "Where the value is set: file and line, or an option; left out for the default.")
        visitor.field(
            "lockedBy", &self.lockedBy, .any,
            "Where the administrator has locked the setting; left out if you can change it.")
        visitor.field(
            "restart", &self.restart, .any, "True if the value counts at the daemon's next start.")
        visitor.field("summary", &self.summary, .any, "A sentence about the setting.")
    }
}
