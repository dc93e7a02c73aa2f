import ControlAPI
import Glibc
import Posix

/// Where the content of a file goes: beside its place first, so that what is not whole is never taken
/// for it.
///
/// Never in the place of another file, and never executable.
final class SavedFile {
    private let place: String
    private let isChosen: Bool
    /// Its name while it is not whole; nil where it has none then.
    private let temporary: String?
    private let file: RandomAccessFile
    private let writer: BulkWriter
    /// What has come and is not written yet.
    private var gathered: [UInt8] = []
    private var written: UInt64 = 0

    /// The longest name that is given: Linux takes 255 bytes, and a number may come.
    private static let nameBytes = 240
    /// How much is written at a time.
    private static let stretchBytes = 262_144

    // `O_TMPFILE`, which Glibc's module lacks: linux/fcntl.h.
    private static let withoutName: Int32 = 0o20_000_000 | O_DIRECTORY

    /// - Parameters:
    ///   - chosen: the path that the user gave; nil for the file's own name in this folder.
    ///   - name: what its author calls it.
    ///   - bytes: how many it is to have.
    ///   - isNamed: whether it has a name from the beginning, as where the file system wants one.
    init(
        chosen: String?, name: String, bytes: Int64, isNamed: Bool = false
    ) throws(Failure) {
        self.place = chosen ?? Self.safe(name)
        self.isChosen = chosen != nil
        if chosen != nil, Files.exists(self.place) { throw Self.exists(self.place) }
        let folder = Files.parent(of: self.place)
        // What has no name leaves nothing behind, however this program ends.
        var number: Int32 = -1
        if !isNamed { number = open(folder, O_WRONLY | O_CLOEXEC | Self.withoutName, 0o666) }
        if number < 0,
            isNamed || errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL
        {
            let name = "\(folder)/.stoa-\(getpid())-\(UInt32.random(in: .min ... .max)).part"
            number = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            self.temporary = name
        } else {
            self.temporary = nil
        }
        guard number >= 0 else {
            throw Self.failure(SystemError(errno, "create a file in", folder))
        }
        do throws(SystemError) {
            self.file = try RandomAccessFile(
                adopting: FileDescriptor(owning: number), path: self.place)
        } catch { throw Self.failure(error) }
        self.writer = BulkWriter(self.file, bytes: UInt64(clamping: bytes))
    }

    deinit { if let temporary { unlink(temporary) } }

    /// Takes the next bytes.
    func write(_ bytes: [UInt8], count: Int) throws(Failure) {
        var start = 0
        while start < count {
            let taken = min(Self.stretchBytes - self.gathered.count, count - start)
            self.gathered += bytes[start..<start + taken]
            start += taken
            if self.gathered.count == Self.stretchBytes { try self.flush() }
        }
    }

    private func flush() throws(Failure) {
        do throws(SystemError) {
            try self.writer.write(self.gathered, at: self.written)
        } catch { throw Self.failure(error) }
        self.written += UInt64(self.gathered.count)
        self.gathered.removeAll(keepingCapacity: true)
    }

    /// Gives it its name; gives that.
    ///
    /// Of a name that is taken the next one is free: `a (1).txt`.
    func keep() throws(Failure) -> String {
        try self.flush()
        do throws(SystemError) { try self.file.sync() } catch { throw Self.failure(error) }
        for number in 0..<10_000 {
            let place = number == 0 ? self.place : Self.numbered(self.place, number)
            do throws(SystemError) {
                try self.give(place)
                return place
            } catch {
                guard error.meansExists else { throw Self.failure(error) }
            }
            guard !self.isChosen else { throw Self.exists(place) }
        }
        throw Self.exists(self.place)
    }

    /// Gives it a name that is free.
    private func give(_ place: String) throws(SystemError) {
        // Sticks and shares, on which nothing is without a name, often know no second name, either.
        if let temporary { return try Files.move(temporary, toFree: place) }
        try self.file.link(to: place)
    }

    /// A name that stays in its folder, is not hidden, and looks like no option: what its author calls it
    /// with `_` in the place of all that could be something else.
    static func safe(_ name: String) -> String {
        var safe = ""
        for scalar in name.unicodeScalars {
            let isHarmless =
                switch scalar.properties.generalCategory {
                // Persian and others are written with joiners.
                case .format where scalar.value == 0x200C || scalar.value == 0x200D: !safe.isEmpty
                case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                    .paragraphSeparator:
                    false
                default: scalar != "/" && scalar != "\\"
                }
            safe.unicodeScalars.append(isHarmless ? scalar : "_")
        }
        while let first = safe.first, first == "." || first == "-" || first == " " {
            safe = "_" + safe.dropFirst()
        }
        safe = FileNameText(safe).fitted(Self.nameBytes)
        return safe.isEmpty ? "file" : safe
    }

    private static func numbered(_ place: String, _ number: Int) -> String {
        let name = place.split(separator: "/").last.map(String.init) ?? place
        return place.dropLast(name.count) + FileNameText(name).numbered(number)
    }

    private static func exists(_ place: String) -> Failure {
        Failure(
            .badData, why: "\(TerminalText.line(place)) already exists",
            next: "choose another name, or remove it")
    }

    private static func failure(_ error: SystemError) -> Failure {
        Failure(
            .inputOutput, why: error.reason, next: error.remedy ?? "choose another place with -o")
    }
}
