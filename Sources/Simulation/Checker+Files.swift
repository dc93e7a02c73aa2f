import Engine
import Formats

/// What must hold of files, whatever goes wrong.
extension Checker {
    /// A node says how far a file is: what is whole is what its author has sent.
    mutating func transferred(_ report: TransferReport, by machine: Machine) throws {
        guard report.state == .done else { return }
        self.counts.filesFetched += 1
        try self.exact(report.blob, on: machine)
    }

    private func exact(_ blob: BlobID, on machine: Machine) throws {
        let content = machine.files.blobs.files[blob]?.content
        guard machine.files.blobs.isWhole(blob), content != nil, content == self.files[blob] else {
            throw Violation("node \(machine.index) shows as whole what its author did not send")
        }
    }

    /// A node sends a frame about files.
    func sentOfFiles(
        _ frame: Frame, by machine: Machine, to receiver: Machine, _ direction: Checker.Heard
    ) throws {
        switch frame {
        case .blobAsk(_, let blob):
            guard machine.node?.transfer(of: blob) != nil else {
                throw Violation("node \(machine.index) asks for a file that it does not fetch")
            }
        case .blobWant(let want):
            guard !machine.files.blobs.has(want.part, of: want.blob) else {
                throw Violation("node \(machine.index) asks for a part of a file that it has")
            }
        case .blobHoldings(let holdings) where holdings.extent != .nothing:
            guard self.mayHave(holdings.blob, of: machine, direction) else {
                throw Violation(
                    "node \(machine.index) tells node \(receiver.index) of a file of which it "
                        + "must not know")
            }
        case .blobPiece(let piece):
            guard let blobs = direction.wanted[piece.number] else {
                throw Violation("node \(machine.index) sends a part for which nobody asked")
            }
            guard blobs.contains(where: { self.mayHave($0, of: machine, direction) }) else {
                throw Violation(
                    "node \(machine.index) serves node \(receiver.index) a file that it must "
                        + "not have")
            }
        default: break
        }
    }

    /// Whether a peer shares a conversation that refers to a file here.
    private func mayHave(
        _ blob: BlobID, of machine: Machine, _ direction: Checker.Heard
    ) -> Bool {
        direction.announced.contains {
            machine.node?.hasPart(in: $0) == true && machine.store.tells($0, of: blob)
        }
    }

    /// A node says that a peer has sent what is not part of a file: no honest one does to an honest one.
    ///
    /// What a hostile machine asks for beside its node has numbers that its node uses, too.
    func accused(_ text: String, by machine: Machine, of machines: [Machine]) throws {
        guard text.contains(Transfers.wrongPartText), machine.adversary == nil else {
            return
        }
        guard
            let liar = machines.first(where: { text.hasPrefix($0.id.shortText) }),
            self.suspects.hostile.contains(liar.index)
        else { throw Violation("node \(machine.index) accuses an honest peer: \(text)") }
    }

    /// After all has settled each disk holds files of which a message tells, and no others.
    func keptFiles(on machine: Machine) throws {
        for (blob, file) in machine.files.blobs.files {
            guard !machine.store.attachments(of: blob).isEmpty else {
                throw Violation(
                    "node \(machine.index) still has a file of which no message tells")
            }
            if file.isWhole { try self.exact(blob, on: machine) }
        }
    }
}

extension Frame {
    /// Whether it is a question for a file, or the answer: who wants what nobody has asks now and then.
    var isSeeking: Bool {
        switch self {
        case .blobAsk, .blobHoldings: true
        default: false
        }
    }
}
