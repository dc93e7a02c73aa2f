import Glibc
import Testing

@testable import Chat

@Suite("The colours of the chat client")
struct ScreenPaletteTests {
    /// The relative luminance of one of the 216 colours in xterm's cube: WCAG 2.2.
    private static func luminance(_ colour: Int) -> Double {
        let levels = [0.0, 95, 135, 175, 215, 255]
        let place = colour - 16
        return self.luminance(levels[place / 36], levels[place / 6 % 6], levels[place % 6])
    }

    private static func luminance(_ red: Double, _ green: Double, _ blue: Double) -> Double {
        func linear(_ value: Double) -> Double {
            let part = value / 255
            return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    private static func contrast(_ one: Double, _ other: Double) -> Double {
        (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    @Test(
        "can be read on light and on dark",
        arguments: ScreenPalette.names + [
            ScreenPalette.mention, ScreenPalette.alert, ScreenPalette.accent,
        ])
    func contrasts(colour: Int) {
        let own = Self.luminance(colour)
        // White and black, and the grounds of themes that many have.
        for ground in [
            Self.luminance(255, 255, 255), Self.luminance(0, 0, 0), Self.luminance(30, 30, 30),
            Self.luminance(253, 246, 227),
        ] {
            // What text that is bold or large has at least.
            #expect(Self.contrast(own, ground) >= 3)
        }
    }

    @Test("none of a name is that of something else")
    func names() {
        let all =
            ScreenPalette.names + [
                ScreenPalette.mention, ScreenPalette.alert, ScreenPalette.accent,
            ]
        #expect(Set(all).count == all.count)
    }
}
