internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix
internal import Storage

extension UsageMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.ask { (store) async throws(StoreFailure) in
            try await store.usage(limit: Result.listed)
        } then: { result in
            switch result {
            case .success(let usage):
                shell.withFileShare { reply.answer(shell.usageResult(usage, files: $0)) }
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension NodeShell {
    private func size(_ names: String...) -> Int64 {
        let folder = self.configuration.dataDirectory
        return names.reduce(0) { $0 + (Files.size("\(folder)/\($1)") ?? 0) }
    }

    /// What the database may take, and what messages of those take of it whom the user has not chosen.
    var diskShares: (limit: Int64, strangers: DiskShare, fellows: DiskShare) {
        let used = self.node.ask { $0.diskUse }
        let bounds = DiskBounds(all: self.configuration.diskLimit)
        func share(_ bytes: UInt64, _ limit: UInt64) -> DiskShare {
            DiskShare {
                $0.bytes = Int64(clamping: bytes)
                $0.limit = Int64(clamping: limit)
            }
        }
        return (
            Int64(clamping: self.configuration.diskLimit),
            share(used.strangers, bounds.ofStrangers),
            share(used.fellows, bounds.ofFellows)
        )
    }

    /// What files take, and may take.
    fileprivate func withFileShare(_ then: @escaping (DiskShare) -> Void) {
        self.onFiles { files async in
            (await files.usedBytes, files.quota)
        } then: { result in
            let (used, quota) = (try? result.get()) ?? (0, 0)
            then(
                DiskShare {
                    $0.bytes = Int64(clamping: used)
                    $0.limit = Int64(clamping: quota)
                })
        }
    }

    fileprivate func usageResult(
        _ usage: [ConversationUsage], files: DiskShare
    ) -> UsageMethod.Result {
        UsageMethod.Result {
            $0.files = files
            $0.streams = Int64(usage.reduce(0) { $0 + $1.streamBytes })
            $0.database = self.size("stoa.db", "stoa.db-wal")
            $0.search = self.size("search.db", "search.db-wal")
            $0.free = Files.freeBytes(self.configuration.dataDirectory) ?? 0
            ($0.limit, $0.strangers, $0.fellows) = self.diskShares
            $0.conversations = usage.map { used in
                let status = self.node.ask { $0.conversationStatus(of: used.conversation) }
                return UsageMethod.Conversation {
                    $0.id = used.conversation.description
                    $0.name = self.name(of: used.conversation)
                    $0.entries = Int64(used.entries)
                    $0.bytes = Int64(used.bytes)
                    $0.streamBytes = Int64(used.streamBytes)
                    $0.retainDays = status?.retention.days.map { Int64($0) }
                    $0.retainBytes = status?.retention.bytes.map { Int64(clamping: $0) }
                }
            }
        }
    }
}
