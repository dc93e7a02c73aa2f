import ControlAPI
import Engine
import Formats
import Glibc
import Crypto
import Posix

/// What the daemons of a recorded session did to their disks, and said, in the order it happened.
struct WriteLog: Sendable {
    /// What a record tells, in the numbers of Tests/System/Disk/faultfs.c.
    enum Kind: UInt32, Sendable {
        case write = 1
        case sync, create, truncate, rename, unlink, makeDirectory
        /// Something was said to a client; comes before it is.
        case told
        /// Something was sent to a peer; comes before it is.
        case sent
        /// A file was changed in a way that is not recorded.
        case escape
    }

    struct Record: Sendable {
        let kind: Kind
        let node: Int
        let inode: UInt64
        /// Where in the file; the new size for `truncate`.
        let offset: Int
        let path: String
        /// Where in the log its bytes are; for `rename` the old path.
        let data: Range<Int>
    }

    let bytes: [UInt8]
    let records: [Record]
    /// What each record acknowledges, by its index: answers to `send`, and messages that are shown.
    let acknowledged: [Int: [EntryID]]

    init(path: String) throws {
        let bytes = try Files.read(path, limitBytes: 1 << 30)
        var records: [Record] = []
        func number<Value: FixedWidthInteger>(_ place: Int, _ type: Value.Type) -> Value {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: type) }
        }
        var place = 0
        while place + 32 <= bytes.count {
            let pathStart = place + 32
            let pathEnd = pathStart + Int(number(place + 24, UInt32.self))
            let end = pathEnd + Int(number(place + 28, UInt32.self))
            guard let kind = Kind(rawValue: number(place, UInt32.self)), end <= bytes.count else {
                throw Broken("the log is damaged at byte \(place)")
            }
            records.append(
                Record(
                    kind: kind, node: Int(number(place + 4, UInt32.self)),
                    inode: number(place + 8, UInt64.self),
                    offset: Int(number(place + 16, UInt64.self)),
                    path: String(decoding: bytes[pathStart..<pathEnd], as: UTF8.self),
                    data: pathEnd..<end))
            place = end
        }
        guard place == bytes.count else { throw Broken("the log ends within a record") }
        self.bytes = bytes
        self.records = records
        var acknowledged: [Int: [EntryID]] = [:]
        for (index, record) in records.enumerated() where record.kind == .told {
            let entries = Self.acknowledged(bytes[record.data])
            if !entries.isEmpty { acknowledged[index] = entries }
        }
        self.acknowledged = acknowledged
    }

    private static func acknowledged(_ lines: ArraySlice<UInt8>) -> [EntryID] {
        lines.split(separator: 0x0A).compactMap { line in
            guard let message = try? JSON(parsing: Array(line)) else { return nil }
            let answer = message["result"]
            let told = answer?["cursor"] == nil ? message["params"]?["message"] : answer
            return told?["id"]?.stringValue.flatMap(Self.bytes32).map { EntryID($0) }
        }
    }

    /// An id as it is shown; keys are shown alike.
    static func bytes32(_ text: String) -> Bytes32? { PeerID(text)?.key }
}
