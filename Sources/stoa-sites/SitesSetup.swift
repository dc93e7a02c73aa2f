import ControlAPI
import ControlClient
import Glibc
import Loop
import Posix

/// Makes the stream that all sites share, once.
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
            do throws(ServerError) {
                let facts = try servers.facts()
                print(
                    "the stream \(SiteServers.stream) is there: \(facts.messages) messages, \(facts.bytes) bytes"
                )
                return 0
            } catch {
                guard error.reason == .absent else { throw error }
            }
            try servers.makeStream(
                bytes: setup.bytes, ageNanoseconds: setup.days * 86_400 * 1_000_000_000,
                replicas: setup.replicas)
            print(
                "made the stream \(SiteServers.stream): messages stay \(setup.days) days and take at most \(setup.bytes) bytes"
            )
            return 0
        } catch {
            return Self.say("the servers answer: \(error.text)", 69)
        }
    }
}
