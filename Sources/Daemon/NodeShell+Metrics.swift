internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// Counters in a file, for those who watch many machines.
extension NodeShell {
    /// How often the file is written: what collects it looks every 15 seconds or less often.
    private static let metricsMilliseconds: UInt64 = 15_000

    /// Writes counters from here on, where the configuration names a file for them.
    func startMetrics() {
        guard self.configuration.metrics != nil, self.upkeep.planMetrics() else { return }
        self.writeMetrics()
    }

    private func writeMetrics() {
        guard self.life.isRunning, let path = self.configuration.metrics else {
            return self.upkeep.endMetrics()
        }
        self.lookAtStatus { status in
            let text = Metrics.text(
                status, clients: self.clients.control.clients.count, at: self.now.wall)
            self.workers.common.run { () -> SystemError? in
                do throws(SystemError) {
                    // For the collector, which is another user.
                    try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o644)
                    return nil
                } catch { return error }
            } then: { error in
                self.metricsWritten(error)
            }
        }
        self.after(Self.metricsMilliseconds) { self.writeMetrics() }
    }

    /// Says a failure once, until it is another one.
    private func metricsWritten(_ error: SystemError?) {
        guard self.upkeep.metricsWritten(error?.reason), let error else { return }
        self.log(
            .warning,
            "the counters cannot be written: \(error.reason); "
                + (error.remedy ?? "correct Metrics= or the folder's mode"))
    }
}

/// The text format of Prometheus, version 0.0.4.
enum Metrics {
    /// All counters of a status; no name and no text is in it.
    ///
    /// - Parameter now: wall-clock milliseconds.
    static func text(_ status: StatusMethod.Result, clients: Int, at now: UInt64) -> String {
        var text = ""
        func add(
            _ name: String, _ kind: String, _ help: String, _ value: String, _ label: String = ""
        ) {
            text += "# HELP stoa_\(name) \(help)\n# TYPE stoa_\(name) \(kind)\n"
            text += "stoa_\(name)\(label) \(value)\n"
        }
        func gauge(_ name: String, _ help: String, _ value: Int64) {
            add(name, "gauge", help, "\(value)")
        }
        add(
            "build_info", "gauge", "The version of the daemon.", "1",
            "{version=\"\(status.version)\"}")
        gauge("start_time_seconds", "When the daemon started.", Self.seconds(status.startedAt))
        gauge("written_time_seconds", "When this was written.", Int64(clamping: now / 1_000))
        gauge("links", "Links to other nodes.", status.links)
        gauge("clients", "Clients of the control socket.", Int64(clients))
        gauge("conversations", "Conversations.", status.conversations)
        gauge("messages", "Entries of logs that are stored.", status.messages)
        gauge("held", "Entries from the future, held until they are due.", status.held)
        gauge("requests", "People waiting to be accepted.", status.requests)
        add(
            "requests_turned_away_total", "counter",
            "Requests dropped for lack of room.",
            "\(status.requestsTurnedAway)")
        gauge(
            "waiting_messages", "Own messages that nobody else has yet.",
            status.waiting?.messages ?? 0)
        gauge(
            "waiting_since_seconds", "The time of the oldest of them; 0 if there is none.",
            status.waiting.map { Self.seconds($0.since) } ?? 0)
        gauge(
            "clock_offset_milliseconds",
            "How far the clock is behind the clocks of most linked people.",
            status.clockOffsetMilliseconds)
        if let isSynchronised = status.clockSynchronised {
            gauge(
                "clock_synchronised", "Whether the kernel reports its clock as synchronised.",
                isSynchronised ? 1 : 0)
        }
        gauge(
            "damaged_pages", "Damaged pages of the database found by the last check.",
            status.scrub.damagedPages)
        text += "# HELP stoa_alert Conditions that need attention.\n# TYPE stoa_alert gauge\n"
        for code in Set(status.alerts.map(\.code)).sorted() {
            text += "stoa_alert{code=\"\(code)\"} 1\n"
        }
        return text
    }

    private static func seconds(_ time: Timestamp) -> Int64 { time.milliseconds / 1_000 }
}
