import ControlAPI
import ControlClient
import DaemonCalls
import Sites

/// How files go: what the daemon looks for, and whether the servers have a stream for them.
struct SitesFiles {
    /// After how long something that did not work is tried again.
    static let retryMilliseconds: UInt64 = 64_000
    /// How often it is looked whether there is a stream now.
    static let absentMilliseconds: UInt64 = 600_000
    /// How long another new stream is not believed, for which everything would be published again.
    static let otherMilliseconds: UInt64 = 600_000
    /// How many parts are looked for at once, while everything else waits.
    static let looksAtOnce = 4

    var wants = SiteWants()
    /// Whether the servers have the stream.
    var isThere = false
    /// When it is looked for.
    var lookAt: UInt64 = 0
    /// Until when nothing is tried, since it did not work.
    var offUntil: UInt64?
    /// From when on another new stream is believed.
    var otherAt: UInt64 = 0

    /// Whether files go at present.
    var go: Bool { self.isThere && self.offUntil == nil }

    /// When something is to be done next; nil where nothing is.
    var nextDue: UInt64? { self.isThere ? self.offUntil ?? self.wants.nextDue : nil }

    /// Whether what did not work is to be tried again.
    mutating func resumes(at now: UInt64) -> Bool {
        guard let until = self.offUntil, until <= now else { return false }
        self.offUntil = nil
        return true
    }
}

/// Files go beside everything else: what goes wrong with them keeps nothing else back.
extension SitesShell {
    /// Looks whether there is a stream for files; gives whether there is one that was not known.
    func lookAtFiles(at now: UInt64) -> Bool {
        guard let servers = self.servers, self.files.isThere || self.files.lookAt <= now else {
            return false
        }
        let wasThere = self.files.isThere
        do throws(ServerError) {
            let facts = try servers.facts(of: .files)
            let isOther = self.keep.files != 0 && self.keep.files != facts.made
            if isOther {
                // Everything is published again: a server that says so each time is not believed each time.
                guard self.files.otherAt <= now else {
                    self.files.isThere = false
                    self.files.lookAt = self.files.otherAt
                    self.report.filesStopped("the servers have made the stream of files anew")
                    return false
                }
                self.files.otherAt = now + SitesFiles.otherMilliseconds
            }
            (self.keep.files, self.files.isThere) = (facts.made, true)
            self.report.files(facts)
            if isOther { self.startOver(from: nil) }
            if !wasThere || isOther { self.files.wants.lookAgain() }
        } catch {
            self.files.isThere = false
            self.files.lookAt = now + SitesFiles.absentMilliseconds
            if error.reason == .absent {
                self.report.filesStopped(
                    "the servers have no stream \(SiteServers.Stream.files.name); run: stoa sites setup"
                )
            } else {
                self.report.filesStopped("the servers answer: \(error.text)")
            }
        }
        return self.files.isThere && !wasThere
    }

    /// Publishes parts of files; false where the servers do not have all of them.
    func publishParts(_ parts: [SiteOutgoing.Item], of page: UInt64?) -> Bool {
        guard !parts.isEmpty, let servers = self.servers else { return parts.isEmpty }
        do throws(ServerError) {
            try servers.publish(parts, in: .files)
            self.outgoing.settled(parts, of: page)
            self.report.publishedParts(parts.count)
            return true
        } catch {
            self.filesFailed(error)
            return false
        }
    }

    private func filesFailed(_ error: ServerError) {
        self.files.offUntil = Self.now + SitesFiles.retryMilliseconds
        let remedy = error.reason == .full ? "; raise the limits of the stream" : ""
        self.report.filesStopped("the servers answer: \(error.text)\(remedy)")
        if error.isClosed { self.servers = nil }
        self.schedule()
    }

    /// Looks for what the daemon wants, a part at a time, so that no two are in memory.
    func seekParts(_ servers: SiteServers, for daemon: DaemonCaller) {
        for _ in 0..<SitesFiles.looksAtOnce {
            guard self.files.go, let subject = self.files.wants.next(at: Self.now)
            else { return }
            do throws(ServerError) {
                guard let part = try servers.message(subject, in: .files) else {
                    self.files.wants.missed(at: Self.now)
                    continue
                }
                return self.give(part, to: daemon)
            } catch {
                self.files.wants.missed(at: Self.now)
                return self.filesFailed(error)
            }
        }
    }

    private func give(_ part: SiteOutgoing.Item, to daemon: DaemonCaller) {
        self.isImporting = true
        daemon.ask(ImportItemsMethod.self, Self.params([part])) { [unowned self] outcome in
            self.isImporting = false
            switch outcome {
            case .result(let json):
                let verdict = Received<ImportItemsMethod.Result>(json).value.outcomes.first?.verdict
                self.files.wants.given(verdict, at: Self.now)
                self.tellReport()
                self.importMore()
            case .failure(let error):
                self.files.wants.given(nil, at: Self.now)
                self.stop(.noDaemon, "\(error.message); \(error.remedy ?? "see: stoa status")")
            }
            self.schedule()
        }
    }
}

extension SiteOutgoing.Item {
    /// Whether it is a part of a file, by its subject.
    var isPart: Bool { self.subject.hasPrefix("stoa-files.") }
}
