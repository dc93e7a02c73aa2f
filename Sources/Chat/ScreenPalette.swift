/// Which colours of a terminal what is drawn has, for those that have the 256 of xterm.
///
/// Of a background nothing is known, so each can be read on white, on black, and on what is near them.
package enum ScreenPalette {
    /// What asks for attention.
    package static let mention = 166
    package static let alert = 160
    /// A place or a command.
    package static let accent = 30
    /// Those of names, as many as ``Look/Colour/name(_:)`` counts.
    package static let names = [32, 29, 168, 133, 136, 64, 99]
}
