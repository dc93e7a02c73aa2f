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
        } catch { return Self.say("\(error)", 69) }
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
            return 0
        } catch {
            return Self.say("the servers answer: \(error.text)", 69)
        }
    }
}
