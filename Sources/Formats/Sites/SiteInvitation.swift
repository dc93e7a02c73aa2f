/// What tells somebody that they were brought into a group: the act that says so, and why it counts.
///
/// `Docs/Protocol/Sites.md` section 11.
package struct SiteInvitation: Hashable, Sendable {
    /// The founding, what lies between, and at the end the act that brings them: each behind those that it follows.
    package let acts: [Act]

    /// The act that brings somebody.
    package var act: Act {
        guard let last = self.acts.last else { preconditionFailure("an invitation has acts") }
        return last
    }

    package var group: ConversationID { self.act.group }

    /// Nil for more than one letter takes, for none, and for those of several groups.
    package init?(_ acts: [Act]) {
        let bytes = acts.reduce(0) { $0 + $1.encoded.count }
        guard (1...Limits.groupFrameItems).contains(acts.count), bytes <= Limits.actsFrameBytes,
            acts.allSatisfy({ $0.group == acts[0].group })
        else { return nil }
        self.acts = acts
    }

    /// Reads it; no signature is checked here.
    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        var acts: [Act] = []
        for _ in 0..<(try reader.count("acts of an invitation", limit: Limits.groupFrameItems)) {
            acts.append(try Act(decoding: try reader.sized("act", limit: Limits.actBytes)))
        }
        try reader.finish("invitation")
        guard let read = SiteInvitation(acts) else { throw .value(field: "invitation") }
        self = read
    }

    var encoded: [UInt8] {
        var writer = WireWriter(capacity: 1_024)
        writer.varint(self.acts.count)
        for act in self.acts { writer.sized(act.encoded) }
        return writer.bytes
    }
}
