import ControlAPI
import Glibc
import Posix

extension DiagnosisFacts.Sites {
    /// Reads what `stoa-sites` says of itself beside the daemon's socket; nil where it never ran, or ended in order.
    init?(besides socket: String) {
        let bytes = try? Files.read(
            "\(Files.parent(of: socket))/sites.json", limitBytes: ControlLimits.lineBytes)
        guard let bytes, let json = try? JSON(parsing: bytes) else { return nil }
        let report = Received<SitesReport>(json).value
        // Where it was killed its last words are still there.
        let number = pid_t(exactly: report.process) ?? 0
        let isRunning = number > 0 && (kill(number, 0) == 0 || errno == EPERM)
        self.init(report: report, isRunning: isRunning)
    }
}
