internal import Blobs
internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Posix

extension FetchMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let output = params.output == true ? try reply.takePassed() : nil
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            let (message, file, layout) = try shell.file(of: entry)
            shell.fetch(file, layout, message, into: output, reply)
        }
    }
}

extension Reply {
    /// The descriptor that the client has passed with its request.
    func takePassed() throws(RPCError) -> PassedDescriptor {
        guard let descriptor = self.asker?.takePassed() else { throw .nothingPassed() }
        return PassedDescriptor(descriptor)
    }
}

extension NodeShell {
    /// Writes the content of a file, as it comes, into a client's descriptor.
    ///
    /// - Parameter key: with what the content is encrypted; nil where it is not.
    func deliver(
        _ blob: BlobID, key: Bytes32?, _ layout: BlobLayout,
        into descriptor: consuming FileDescriptor
    ) throws(RPCError) {
        do throws(SystemError) {
            self.deliver(try FileDelivery(descriptor, blob, key: key, layout))
        } catch {
            throw .refused(
                error.reason, reason: "badDescriptor", remedy: "pass one to write to")
        }
    }

    /// The file of a message; refused where there is none.
    func file(
        of entry: StoredEntry
    ) throws(RPCError) -> (Message, AttachedFile, BlobLayout) {
        let message = try self.message(of: entry)
        guard case .file(let file) = message.content, let layout = BlobLayout(size: file.size)
        else {
            throw .refused(
                "that message has no file", reason: "noFile",
                remedy: "give the id of a message with a file: stoa history ROOM --ids")
        }
        return (message, file, layout)
    }

    /// Has a file fetched where it is not here, says how far it is, and writes it into a descriptor as it
    /// comes; nil for none.
    ///
    /// Where it is not here and the user has left the conversation, nobody would give it.
    fileprivate func fetch(
        _ file: AttachedFile, _ layout: BlobLayout, _ message: Message,
        into output: PassedDescriptor?, _ reply: Reply
    ) {
        let blob = file.blob
        self.onFile(blob) { (files) async throws(BlobFailure) in
            try await files.standing(of: blob, layout)
        } then: { result in
            let standing = (try? result.get()) ?? nil
            let isWhole = standing?.chunks.isWhole == true && self.files.running[blob] == nil
            let comes =
                isWhole
                || self.node.ask({ $0.conversationStatus(of: message.conversation) }) != nil
            guard comes else {
                return reply.fail(.notMember(of: self.name(of: message.conversation)))
            }
            if let descriptor = output?.take() {
                do throws(RPCError) {
                    try self.deliver(blob, key: file.key, layout, into: descriptor)
                } catch { return reply.fail(error) }
            }
            var running =
                self.files.running[blob]
                ?? FileTransfers.Running(
                    report: TransferReport(
                        blob: blob, place: .conversation(message.conversation),
                        size: file.size, stored: isWhole ? file.size : 0, sources: 0,
                        state: isWhole ? .done : .waiting))
            running.named = FileTransfers.Named(
                message: message.id, conversation: message.conversation, name: file.name)
            if !isWhole {
                self.files.running[blob] = running
                self.happened(
                    .transfer(
                        .fetch(
                            blob, layout, in: .conversation(message.conversation),
                            by: message.author, isAwaited: true)))
            }
            reply.answer(self.transferResult(running))
        }
    }
}

extension RPCError {
    /// A request needs a descriptor, and none came with it.
    static func nothingPassed() -> RPCError {
        .invalidParams(
            "no descriptor came with the request", reason: "noDescriptor",
            remedy: "pass one with the bytes of the request (SCM_RIGHTS)")
    }
}
