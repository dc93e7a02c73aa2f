internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension PictureMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let output = params.output == true ? try reply.takePassed() : nil
        let own = shell.node.id
        let person =
            try params.person.map { (text) throws(RPCError) in
                try shell.person(text, for: .look)
            } ?? own
        guard let picture = shell.node.ask({ $0.picture(of: person) })?.picture else {
            throw .refused(
                person == own ? "you have no picture" : "they have no picture",
                reason: "noPicture",
                remedy: person == own
                    ? "set one: stoa profile --picture FILE" : "their profile has none")
        }
        shell.withPicture(picture, of: person) { result in
            do throws(RPCError) {
                let type = try result.get()
                if let descriptor = output?.take(),
                    let layout = BlobLayout(size: picture.size)
                {
                    try shell.deliver(picture.blob, key: nil, layout, into: descriptor)
                }
                reply.answer(
                    Result {
                        $0.id = person.description
                        $0.name = shell.markedName(of: person)
                        $0.type = PictureWord(type)
                        $0.size = Int64(clamping: picture.size)
                    })
            } catch { reply.fail(error) }
        }
    }
}

extension NodeShell {
    /// Goes on once a picture is here; where it is not, it is fetched, also that of a stranger.
    fileprivate func withPicture(
        _ picture: ProfilePicture, of person: PeerID,
        then: @escaping (Result<PictureType, RPCError>) -> Void
    ) {
        let blob = picture.blob
        if let type = self.node.ask({ $0.picture(of: person) })?.type {
            return then(.success(type))
        }
        self.files.awaitPicture(blob) { failure in
            guard failure == nil, let known = self.node.ask({ $0.picture(of: person) }),
                known.picture.blob == blob, let type = known.type
            else { return then(.failure((failure ?? .unavailable).rpcError)) }
            then(.success(type))
        }
        guard let layout = BlobLayout(size: picture.size) else { return }
        self.happened(.transfer(.fetch(blob, layout, in: .profile(person), isAwaited: true)))
    }

    /// What clients are told of somebody's picture; nil where they have none.
    func pictureResult(of peer: PeerID) -> PictureResult? {
        self.node.ask { $0.picture(of: peer) }.map { known in
            PictureResult {
                $0.type = known.type.map { PictureWord($0) }
                $0.size = Int64(clamping: known.picture.size)
            }
        }
    }
}

extension PictureWord {
    /// The same in the words of the API.
    init(_ type: PictureType) {
        self =
            switch type {
            case .png: .png
            case .jpeg: .jpeg
            case .webp: .webp
            }
    }
}
