internal import Engine
internal import Noise
internal import Posix
internal import Storage

/// `stoad --check`: opens the database as a daemon would and says what is wrong with it.
enum Check {
    static func run(_ configuration: Configuration, print: (String) -> Void) -> Int32 { 0 }
}
