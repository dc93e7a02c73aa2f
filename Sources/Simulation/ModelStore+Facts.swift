import Engine
import Formats

/// What a batch says beside its entries.
extension ModelStore {
    /// Takes peers, records, rooms, people and requests.
    mutating func storeFacts(of batch: Batch) {
        for peer in batch.forgotten {
            self.peers[peer] = nil
            self.records = self.records.filter { $0.key.author != peer }
        }
        for record in batch.records { self.records[record.key] = record }
        for key in batch.droppedRecords { self.records[key] = nil }
        for (room, membership) in batch.membership { self.rooms[room] = membership }
        for peer in batch.peers { self.peers[peer.id] = peer }
        for (peer, standing) in batch.people {
            self.people[peer] = standing == .unsaid ? nil : standing
            for key in self.logs.keys where key.name.author == peer {
                for index in self.logs[key, default: Log()].rows.indices {
                    let isKnown = standing == .known || standing == .verified
                    self.logs[key]?.rows[index].isOfKnown = isKnown
                }
            }
        }
        for person in batch.requests.ended { self.requests[person] = nil }
        for request in batch.requests.kept { self.requests[request.person.id] = request }
        for append in batch.appends {
            if let person = append.person, let keys = append.keys { self.persons[person] = keys }
        }
    }

    mutating func noteKeys(of batch: Batch) {
        for append in batch.appends {
            let conversation = append.run.run.key.conversation
            for (offset, key) in append.idempotencyKeys {
                self.sent[conversation, default: [:]][key] = append.run.ids[offset]
            }
        }
    }
}
