package import ControlAPI
internal import Glibc
internal import Posix

/// A connection to the daemon that only passes lines on, and waits for no answer.
///
/// For front ends that wait for other things, too: wait until ``descriptor`` is readable, then take what
/// has come. Not for several threads.
package final class LineClient {
    private let connection: UnixConnection
    private var codec = LineCodec()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// How long connecting and each write may take, in milliseconds: a daemon that runs takes them at once.
    private static let patienceMilliseconds = 1_000

    /// Connects; throws ``ClientError/noDaemon(path:)`` when nobody listens.
    package init(path: String) throws(ClientError) {
        do throws(SystemError) {
            self.connection = try UnixConnection(
                path: path, timeoutMilliseconds: Self.patienceMilliseconds)
        } catch {
            if error.meansNobodyListens { throw .nobody(at: path) }
            if error.code == EAGAIN || error.code == ETIMEDOUT { throw .noAnswer }
            throw .unusable(reason: error.reason, remedy: error.remedy ?? "")
        }
    }

    /// The socket's descriptor, for waiting on it.
    package var descriptor: Int32 { self.connection.descriptor.number }

    /// Writes a line, which has its newline.
    package func write(_ line: [UInt8]) throws(ClientError) {
        do throws(SystemError) { try self.connection.writeAll(line) } catch { throw .closed }
    }

    /// Writes a line and passes a descriptor with it, which stays the caller's.
    package func write(_ line: [UInt8], passing descriptor: Int32) throws(ClientError) {
        do throws(SystemError) {
            try self.connection.writeAll(line, passing: descriptor)
        } catch {
            throw .closed
        }
    }

    /// Reads once what is there, waiting when nothing is, and returns what is complete.
    package func receive() throws(ClientError) -> [ServerMessage] {
        var messages: [ServerMessage] = []
        for line in try self.receiveLines() {
            guard let json = try? JSON(parsing: line), let message = ServerMessage(json) else {
                throw .garbled("a line is not JSON-RPC")
            }
            messages.append(message)
        }
        return messages
    }

    /// The same, for those who pass on what they do not read: lines without their newlines.
    package func receiveLines() throws(ClientError) -> [[UInt8]] {
        let count: Int?
        do throws(SystemError) {
            count = try self.connection.readSome(into: &self.buffer)
        } catch {
            throw .closed
        }
        guard let count else { return [] }
        guard count > 0 else { throw .closed }
        self.codec.append(self.buffer[..<count])
        var lines: [[UInt8]] = []
        do throws(LineError) {
            while let line = try self.codec.nextLine() { lines.append(line) }
        } catch {
            throw .garbled("a line is longer than \(ControlLimits.lineBytes) bytes")
        }
        return lines
    }
}
