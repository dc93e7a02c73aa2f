import ControlAPI
import Glibc
import Posix

/// A file into which a durable stream is written, and beside it how far it is.
///
/// The position is written behind the bytes, once they are on the disk, and says how many they are: what
/// was written after it is cut off when the file is opened again, and comes again.
final class StreamFile {
    /// How far a file is.
    struct Position: Equatable {
        /// The last cursor of which all is in the file.
        var cursor: Int64
        /// The bytes of the file.
        var size: UInt64 = 0
        /// Whose sending is under way, and what of it is in the file.
        var sending: StreamSending?
    }

    private let path: String
    private let file: RandomAccessFile
    private var size: UInt64
    /// How far it is; nil for a file that is new.
    private(set) var position: Position?

    /// Three numbers, a key and a number more.
    private static let positionBytes = 256

    init(_ path: String) throws(Failure) {
        self.path = path
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw Self.failure(SystemError(errno, "open", path)) }
        do throws(SystemError) {
            self.file = try RandomAccessFile(adopting: FileDescriptor(owning: number), path: path)
        } catch { throw Self.failure(error) }
        let text = (try? Files.read("\(path).position", limitBytes: Self.positionBytes)) ?? []
        self.position = Position(String(decoding: text, as: UTF8.self))
        self.size = self.position?.size ?? 0
        guard self.position != nil || self.file.size == 0 else {
            throw Failure(
                .refused,
                why: "\(TerminalText.line(path)) exists and is not a received stream",
                next: "name another file")
        }
        guard self.file.size >= self.size else {
            throw Failure(
                .badData, why: "\(TerminalText.line(path)) is shorter than \(path).position says",
                next: "remove both, and receive the stream again")
        }
        do throws(SystemError) { try self.file.setSize(self.size) } catch {
            throw Self.failure(error)
        }
    }

    /// Writes bytes; ``keep(_:_:)`` says that they count.
    func append(_ bytes: [UInt8]) throws(Failure) {
        do throws(SystemError) { try self.file.write(bytes, at: self.size) } catch {
            throw Self.failure(error)
        }
        self.size += UInt64(bytes.count)
    }

    /// Says how far the file is, once all of it is on the disk.
    func keep(_ cursor: Int64, _ sending: StreamSending?) throws(Failure) {
        let position = Position(cursor: cursor, size: self.size, sending: sending)
        do throws(SystemError) {
            try self.file.sync()
            try Files.writeAtomically(
                Array("\(position.text)\n".utf8), to: "\(self.path).position")
        } catch { throw Self.failure(error) }
        self.position = position
    }

    private static func failure(_ error: SystemError) -> Failure {
        Failure(.inputOutput, why: error.reason, next: error.remedy ?? "look at the file")
    }
}

extension StreamFile.Position {
    /// Reads what ``text`` writes; nil for anything else.
    fileprivate init?(_ text: String) {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 2 || words.count == 5, let cursor = Int64(words[0]),
            let size = UInt64(words[1])
        else { return nil }
        self.init(cursor: cursor, size: size)
        guard words.count == 5 else { return }
        guard let session = Int64(words[3]), let bytes = Int64(words[4]) else { return nil }
        self.sending = StreamSending(peer: String(words[2]), session: session, bytes: bytes)
    }

    fileprivate var text: String {
        let sending = self.sending.map { " \($0.peer) \($0.session) \($0.bytes)" } ?? ""
        return "\(self.cursor) \(self.size)\(sending)"
    }
}
