import ControlAPI
import ControlClient
import Glibc
import Loop
import Posix

/// Makes the streams that all sites share, once.
extension SitesShell {
    func setUp(_ setup: SitesOptions.Setup, socket: String) -> Int32 {
        let settings: ExportItemsMethod.Result
        do throws(ClientError) {
            let daemon = try DaemonConnection(path: socket)
            settings = try daemon.call(ExportItemsMethod.self, ExportItemsMethod.Params()).value
        } catch {
            return Self.say(error.reason + (error.remedy.isEmpty ? "" : "; \(error.remedy)"), 69)
        }
        let watcher = ServerWatcher(self.loop) { _ in }
        do throws(ServerError) {
            let servers = try SiteServers(
                settings.servers, credentials: settings.credentials, watcher)
            for (stream, days, bytes) in [
                (SiteServers.Stream.items, setup.days, setup.bytes),
                (.files, setup.fileDays, setup.fileBytes),
            ] {
                do throws(ServerError) {
                    let facts = try servers.facts(of: stream)
                    print(
                        "the stream \(stream.name) is there: \(facts.messages) messages, \(facts.bytes) bytes"
                    )
                    continue
                } catch {
                    guard error.reason == .absent else { throw error }
                }
                try servers.make(stream, bytes: bytes, days: days, replicas: setup.replicas)
                print(
                    "made the stream \(stream.name): messages stay \(days) days and take at most \(bytes) bytes"
                )
            }
            print(
                "presence and typing need the right to publish and hear stoa-now.*.*, which no stream keeps; "
                    + "Docs/Sites.md has all rights"
            )
            return 0
        } catch {
            return Self.say(Self.told(error, settings.servers), 69)
        }
    }

    /// What went wrong, and what to do.
    private static func told(_ error: ServerError, _ servers: [String]) -> String {
        switch error.reason {
        case .away:
            "no server of Sites (\(servers.joined(separator: ", "))) answers: \(error.text); "
                + "check the addresses, the firewall, certificates and that nats-server runs"
        case .forbidden:
            "the servers refuse this user: \(error.text); check SitesCredentials and the rights "
                + "that Docs/Sites.md names"
        case .full:
            "the servers have no room for a stream of this size: \(error.text); give a smaller "
                + "--size and --file-size, or raise max_file_store there"
        case .alone:
            "the servers cannot keep so many copies: \(error.text); give fewer --replicas, or add "
                + "servers to the cluster"
        case .absent:
            "the servers do not have JetStream for this user; enable it in their configuration"
        case .other: "the servers answer: \(error.text); see the log of nats-server"
        }
    }
}
