/// Which colours of a terminal what is drawn has, for those that have the 256 of xterm.
///
/// Of a background nothing is known, so each can be read on white, on black, and on what is near them.
public enum ScreenPalette {
    /// What asks for attention.
    public static let mention = 166
    /// What is wrong.
    public static let alert = 160
    /// A place or a command.
    public static let accent = 30
    /// Those of names, as many as ``Look/Colour/name(_:)`` counts.
    public static let names = [32, 29, 168, 133, 136, 64, 99]
}
