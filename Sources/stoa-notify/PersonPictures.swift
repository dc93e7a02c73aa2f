import ControlAPI
import ControlClient
import Glibc
import Notifications
import Posix

/// The pictures of people as files, which the desktop reads; they go with the user's session.
struct PersonPictures {
    /// How long the daemon may take: without a picture a notification says as much.
    private static let patienceMilliseconds = 500

    private let socket: String
    private let folder: String

    /// Nil where the session has no folder for such files.
    init?(socket: String, environment: [String: String]) {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return nil
        }
        self.socket = socket
        self.folder = runtime + "/stoa-notify"
    }

    /// Where the picture of a person is now, `@` and their key; nil where they have none.
    func path(of person: String) -> String? {
        let path = self.folder + "/" + person.dropFirst()
        do {
            try Files.makeDirectories(self.folder)
            let number = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard number >= 0 else { return nil }
            let file = FileDescriptor(owning: number)
            let daemon = try DaemonConnection(
                path: self.socket, answerMilliseconds: Self.patienceMilliseconds)
            _ = try daemon.call(
                PictureMethod.self,
                PictureMethod.Params { ($0.person, $0.output) = (person, true) },
                passing: file.number)
            let header = try Files.read(path, limitBytes: ControlLimits.pictureBytes)
            return PictureSize(header: header)?.isShown == true ? path : nil
        } catch {
            return nil
        }
    }
}
