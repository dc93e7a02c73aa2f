import ControlAPI
import Glibc
import Posix

/// A file that is sent: where its content is, and how others see it.
struct OutgoingContent {
    /// A path, or `-` for standard input.
    private let path: String
    /// What the daemon is told of it.
    let described: OutgoingFile

    /// Reads `--file`, `--name` and `--type`; none where no file is sent.
    static func read(_ arguments: ParsedArguments) throws(Failure) -> [OutgoingContent] {
        let (paths, name) = (arguments.values("--file"), arguments.value("--name"))
        let type = arguments.value("--type")
        guard !paths.isEmpty else {
            guard name == nil, type == nil else {
                throw .usage("--name and --type are for files", next: "add --file")
            }
            return []
        }
        guard paths.count == 1 || name == nil else {
            throw .usage("several files cannot have one name", next: "send them one by one")
        }
        var files: [OutgoingContent] = []
        for path in paths { files.append(try OutgoingContent(path, name: name, type: type)) }
        return files
    }

    private init(_ path: String, name: String?, type: String?) throws(Failure) {
        guard path != "-" || name != nil else {
            throw .usage("standard input has no name", next: "add --name")
        }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        if path != "-", ["", ".", ".."].contains(last) {
            throw .usage(
                "\(TerminalText.line(path)) is a folder",
                next: "pack it into an archive, and send that")
        }
        let shown = name ?? last
        guard (1...ControlLimits.fileNameBytes).contains(shown.utf8.count),
            !shown.utf8.contains(0x2F), shown != ".", shown != ".."
        else {
            throw .usage(
                "\"\(TerminalText.line(shown))\" cannot be the name of a file",
                next: "give --name 1 to \(ControlLimits.fileNameBytes) bytes without /")
        }
        if let type, !(1...ControlLimits.mediaTypeBytes).contains(type.utf8.count) {
            throw .usage(
                "--type cannot be \"\(TerminalText.line(type))\"",
                next: "give 1 to \(ControlLimits.mediaTypeBytes) bytes, such as image/png")
        }
        self.path = path
        self.described = OutgoingFile {
            $0.name = shown
            $0.type = type ?? MediaType.guess(shown)
        }
    }

    /// Whether it can be opened now: so that nothing is sent where one of several cannot.
    func look() throws(Failure) {
        if self.path != "-" { _ = try Self.open(self.path) }
    }

    /// Opens it for the daemon, which reads it.
    func withDescriptor(
        _ context: CommandContext, _ body: (Int32) throws(Failure) -> Void
    ) throws(Failure) {
        let descriptor = self.path == "-" ? try Self.spool(context) : try Self.open(self.path)
        try body(descriptor.number)
    }

    /// Opens a regular file to be passed to the daemon; `next` says what to give in the place of another.
    static func open(
        _ path: String,
        next: String = "pack a folder into an archive; send a pipe with --file - --name NAME"
    ) throws(Failure) -> FileDescriptor {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard number >= 0 else {
            throw Self.failure(SystemError(errno, "open", TerminalText.line(path)))
        }
        let descriptor = FileDescriptor(owning: number)
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .badData, why: "\(TerminalText.line(path)) is not a regular file", next: next)
        }
        return descriptor
    }

    /// Copies standard input into a file without a name, since the daemon must know its size.
    ///
    /// Refused as soon as more has come than the daemon would take.
    private static func spool(_ context: CommandContext) throws(Failure) -> FileDescriptor {
        let room = try context.roomForFiles()
        var count: Int64 = 0
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // `O_TMPFILE`, which Glibc's module lacks: linux/fcntl.h.
        let number = Glibc.open(folder, O_RDWR | O_CLOEXEC | 0o20_000_000 | O_DIRECTORY, 0o600)
        guard number >= 0 else {
            throw Self.failure(SystemError(errno, "make a file in", folder))
        }
        let descriptor = FileDescriptor(owning: number)
        while let chunk = try context.console.readChunk() {
            count += Int64(chunk.count)
            guard count <= room else {
                throw Failure(
                    .refused, why: "files already take all the disk space they may",
                    next: "delete some messages with files, or raise FileLimit in stoad.conf")
            }
            var start = 0
            while start < chunk.count {
                switch descriptor.write(chunk, from: start) {
                case .bytes(let count): start += count
                case .wouldBlock: continue
                case .failed(let error):
                    throw Self.failure(SystemError(error.code, "write in", folder))
                }
            }
        }
        return descriptor
    }

    private static func failure(_ error: SystemError) -> Failure {
        if error.meansNotFound {
            return Failure(
                .badData, why: error.reason, next: "give the path of an existing file")
        }
        return Failure(.inputOutput, why: error.reason, next: error.remedy ?? "look at the file")
    }
}

/// Of what type a file is, by the end of its name: what people send most (RFC 6838).
enum MediaType {
    private static let byEnd: [String: String] = [
        "avif": "image/avif", "bmp": "image/bmp", "csv": "text/csv", "flac": "audio/flac",
        "gif": "image/gif", "gz": "application/gzip", "htm": "text/html", "html": "text/html",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "json": "application/json", "log": "text/plain",
        "m4a": "audio/mp4", "md": "text/markdown", "mkv": "video/x-matroska",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "odt": "application/vnd.oasis.opendocument.text",
        "ogg": "audio/ogg", "opus": "audio/ogg", "pdf": "application/pdf", "png": "image/png",
        "svg": "image/svg+xml", "tar": "application/x-tar", "txt": "text/plain", "wav": "audio/wav",
        "webm": "video/webm", "webp": "image/webp", "xz": "application/x-xz",
        "zip": "application/zip", "zst": "application/zstd",
    ]

    /// The type; nil where the name does not say.
    static func guess(_ name: String) -> String? {
        guard let point = name.lastIndex(of: ".") else { return nil }
        return self.byEnd[name[name.index(after: point)...].lowercased()]
    }
}
