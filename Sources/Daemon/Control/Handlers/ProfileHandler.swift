internal import Blobs
internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension ProfileMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        guard params.name != nil || params.status != nil || params.picture != nil else {
            reply.answer(shell.ownProfile())
            return
        }
        if let name = params.name, let refused = OwnName.refusedCharacter(in: name) {
            throw .refused(
                "a name cannot contain \(refused)", reason: "misleadingName",
                remedy: "leave that out", param: "name")
        }
        func change(_ picture: PictureChange, _ blob: BlobID? = nil) {
            shell.request(
                .profile(name: params.name, status: params.status, picture: picture),
                PendingRequest(reply, blob: blob))
        }
        guard params.picture == true else {
            return change(params.picture == false ? .none : .keep)
        }
        guard let passed = reply.asker?.takePassed() else { throw .nothingPassed() }
        let source: RandomAccessFile
        do throws(SystemError) {
            source = try RandomAccessFile(adopting: passed, path: "the picture")
        } catch {
            throw .refused(
                "the passed descriptor is not a regular file", reason: "badDescriptor",
                remedy: "pass a regular file, open for reading")
        }
        shell.takePicture(source, reply) { change(.take($0), $0.blob) }
    }
}

extension NodeShell {
    func ownProfile() -> ProfileMethod.Result {
        let id = self.node.id
        let profile = self.node.ask { $0.profile(of: id) }
        return ProfileMethod.Result {
            $0.id = id.description
            $0.name = profile.name
            $0.status = profile.status
            $0.picture = self.pictureResult(of: id)
        }
    }

    /// Says what the profile is, once its picture is known to be here.
    func answerProfile(_ reply: Reply) {
        let own = self.node.ask { $0.picture(of: $0.id)?.picture.blob }
        guard let blob = own, self.node.ask({ $0.transfer(of: blob) }) != nil else {
            return reply.answer(self.ownProfile())
        }
        self.files.awaitPicture(blob) { _ in reply.answer(self.ownProfile()) }
    }

    /// Copies a picture that a client passes, where it is one.
    fileprivate func takePicture(
        _ source: RandomAccessFile, _ reply: Reply, then take: @escaping (ProfilePicture) -> Void
    ) {
        guard (1...UInt64(Limits.pictureBytes)).contains(source.size) else {
            return reply.fail(.noPicture(of: source.size))
        }
        self.onFiles { (files) async throws(BlobFailure) in
            let taken = try await files.take(source, key: nil)
            return (taken, try await files.beginning(of: taken.blob))
        } then: { result in
            switch result {
            case .success(let (taken, beginning)):
                guard PictureType(beginning: beginning) != nil,
                    let picture = ProfilePicture(blob: taken.blob, size: taken.size)
                else {
                    self.removeUnlessTold(of: taken.blob)
                    return reply.fail(.noPicture(of: taken.size))
                }
                take(picture)
            case .failure(let failure): reply.fail(failure.rpcError)
            }
        }
    }
}

extension RPCError {
    /// What a client takes for a picture is none, or too large.
    fileprivate static func noPicture(of size: UInt64) -> RPCError {
        let remedy = "give a PNG, JPEG or WebP of at most 256 KiB"
        guard size <= UInt64(Limits.pictureBytes) else {
            return .tooLarge(
                "the picture", bytes: Int(clamping: size), limit: Limits.pictureBytes,
                remedy: remedy, param: "picture")
        }
        return .refused(
            "its first bytes are not those of a picture", reason: "notPicture", remedy: remedy,
            param: "picture")
    }
}
