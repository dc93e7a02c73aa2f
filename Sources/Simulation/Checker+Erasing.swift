import Engine
import Formats

/// What is erased, worked out from what authors wrote alone: it does not ask the engine who may.
extension Checker {
    /// An entry is written that may want others erased.
    mutating func noteErasing(_ content: Content?, by id: EntryID) {
        guard case .erase(let targets)? = content else { return }
        for target in targets { self.erasers[target.id, default: []].append(id) }
    }

    /// Whether an entry may have another one erased.
    private func mayErase(_ eraser: Written, _ target: Written) -> Bool {
        guard eraser.key.conversation == target.key.conversation, !target.isControl else {
            return false
        }
        let (one, other) = (eraser.key.name.author, target.key.name.author)
        return one == other || self.persons[one] == self.persons[other]
    }

    /// On a disk only that is erased which somebody wanted erased who may, and no control entry.
    func erasedRightly(on machine: Machine) throws {
        // By a clock that is a week ahead what streams bring is as old.
        let isFarAhead =
            machine.clock.mostAhead > Int64(NodePreferences().streamsKeepMilliseconds) / 2
        for (key, log) in machine.store.logs {
            for (index, row) in log.rows.enumerated() where !row.isWhole {
                guard row.verdict.payload != .present, row.entry.mayBeAbsent else {
                    throw Violation(
                        "node \(machine.index) lacks the payload of entry \(index + 1) of "
                            + "\(key.name)")
                }
                guard
                    row.verdict.payload != .expired
                        || row.entry.isOfStream
                            && (key.name.author == machine.id || isFarAhead)
                        || row.entry.time < machine.expiry.before[key.conversation] ?? HybridTime(0)
                else {
                    throw Violation(
                        "node \(machine.index) has given up entry \(index + 1) of \(key.name), "
                            + "which is not old")
                }
                guard row.verdict.payload == .erased, let target = self.written[row.id] else {
                    continue
                }
                let isWanted = self.erasers[row.id]?.contains { id in
                    self.written[id].map { self.mayErase($0, target) } ?? false
                }
                guard isWanted == true else {
                    throw Violation(
                        "node \(machine.index) has erased entry \(index + 1) of \(key.name), "
                            + "which nobody may have wanted")
                }
            }
        }
    }

    /// A node gives its store a batch: what it would expire first it does not want.
    func wanted(_ batch: Batch, by machine: Machine) throws {
        for append in batch.appends {
            let run = append.run.run
            guard let cutOff = machine.expiry.cutOffs[run.key.conversation] else { continue }
            for (entry, verdict) in zip(run.entries, append.verdicts)
            where verdict.payload == .wanted && entry.time < cutOff {
                throw Violation(
                    "node \(machine.index) wants the payload of what it would expire first")
            }
        }
    }

    /// After all has settled no replica has what is erased.
    ///
    /// A device without the key of a sealed room reads only what the header names: entries of the
    /// same device. Nor is a log anybody's that does not begin as one must.
    func erased(
        _ entries: Set<EntryID>, in room: ConversationID, on members: [Machine]
    ) throws {
        for (id, erasers) in self.erasers {
            guard let target = self.written[id], target.key.conversation == room else { continue }
            let isErased = erasers.contains { eraser in
                guard entries.contains(eraser), let other = self.written[eraser] else {
                    return false
                }
                let haveReadablePersons =
                    self.keyHolders[room] == nil && other.isOpeningSealed == false
                    && target.isOpeningSealed == false
                return self.mayErase(other, target)
                    && (other.key.name.author == target.key.name.author || haveReadablePersons)
            }
            for member in members where isErased {
                guard member.store.row(id)?.isWhole != true else {
                    throw Violation(
                        "node \(member.index) still has entry \(target.seq) of "
                            + "\(target.key.name), which is erased")
                }
            }
        }
    }
}

extension Simulation {
    /// What a member of a room wants of a payload that another one has; nil where nobody does.
    func lack(of room: ConversationID, among members: [Machine]) -> String? {
        for member in members {
            for (key, log) in member.store.logs
            where key.conversation == room && self.checker.counts(key.name.author) {
                for (index, row) in log.rows.prefix(Int(log.count)).enumerated()
                where !row.isSettled {
                    let holder = members.first { $0.store.row(row.id)?.isWhole == true }
                    guard let holder else { continue }
                    return "node \(member.index) still wants the payload of entry \(index + 1) of "
                        + "\(key.name), which node \(holder.index) has"
                }
            }
        }
        return nil
    }

    /// Whether a machine can serve each log whole, whatever of it is erased.
    func checkServing(_ machine: Machine) throws {
        for (key, log) in machine.store.logs where log.rows.contains(where: { !$0.isWhole }) {
            var next: UInt64 = 1
            while next <= log.count {
                let runs = machine.store.readRuns(
                    key, from: next, through: log.count, byteLimit: Limits.runFrameBytes)
                for run in runs {
                    let bytes = Frame.syncRun(run).encoded.bytes
                    guard (try? ReceivedFrame(whole: bytes))?.frame == .syncRun(run) else {
                        throw Violation("node \(machine.index) cannot send a run of \(key.name)")
                    }
                }
                guard let last = runs.last?.last, last >= next else {
                    throw Violation(
                        "node \(machine.index) cannot serve entry \(next) of \(key.name)")
                }
                next = last + 1
            }
        }
    }
}

extension Entry {
    /// Whether its payload may be erased, expired or left out.
    fileprivate var mayBeAbsent: Bool { self.entryClass != EntryClass.control.rawValue }

    /// Whether its own author may give it up once others have it.
    fileprivate var isOfStream: Bool { self.entryClass == EntryClass.stream.rawValue }
}
