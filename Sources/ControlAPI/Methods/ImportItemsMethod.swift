/// The method `importItems`.
package enum ImportItemsMethod: ControlMethod {
    package static let description = MethodDescription(
        "importItems", "Give this node what other sites have published.",
        result: "imported", errors: [.storageFailed, .refused], hasLargeAnswer: true,
        details:
            "Each item is opened and checked as if a peer had sent it, so nobody who writes to a server can "
            + "have anything shown that its author has not signed. It answers once what it took is on disk.",
        reasons: [
            "noSites": "Sites and SitesRealm are not both set",
            "notInRealm": "the node is not in that realm, or it is the open one",
        ])

    package struct Item: ControlValue {
        package var subject = ""
        package var data = Base64()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("subject", &self.subject, .any, "Under what it was published.")
            visitor.field("data", &self.data, .any, "The published bytes, in base64.")
        }
    }

    package struct Params: ControlValue {
        package var items: [Item] = []
        package var problem: String?
        package var asks: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "items", &self.items, .any,
                "At most 64 items; those of one log in the order of their entries.")
            visitor.field(
                "problem", &self.problem, .any,
                "Why messages do not reach other sites, in words: an alert for three minutes. An empty text ends it."
            )
            visitor.field(
                "asks", &self.asks, .any,
                "Whether to give, for each item that waits, a question to others.")
        }
    }

    package static func check(_ params: Params) throws(RPCError) {
        guard params.items.count <= ControlLimits.siteItems else {
            throw .invalidParams(
                "importItems takes at most \(ControlLimits.siteItems) items", reason: "badParam",
                remedy: "give the others with the next call",
                details: [JSON.Member("param", "items")])
        }
        guard params.problem?.utf8.count ?? 0 <= ControlLimits.siteProblemBytes else {
            throw .invalidParams(
                "a problem of sites is at most \(ControlLimits.siteProblemBytes) bytes long",
                reason: "badParam", remedy: "say it in fewer words",
                details: [JSON.Member("param", "problem")])
        }
    }

    /// What became of an item.
    package enum Verdict: String, WordValue {
        case taken, known, waits, unsealed, foreign, forged, forked, room, early
    }

    /// A question to the members of a conversation for items that are missing, sealed.
    package struct Ask: ControlValue {
        package var subject = ""
        package var data = Base64()
        package var missing: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("subject", &self.subject, .any, "Where it belongs; not stored.")
            visitor.field("data", &self.data, .any, "The sealed bytes, in base64.")
            visitor.field("missing", &self.missing, .any, "How many entries are missing.")
        }
    }

    package struct Outcome: ControlValue {
        package var verdict = Verdict.known
        package var needs: String?
        package var known: Bool?
        package var ask: Ask?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "verdict", &self.verdict, .any,
                "taken: on disk; known: nothing new; waits: the item before it is missing. Refused: unsealed (nobody with the keys sealed it), foreign (you are not in its conversation), forged, forked (its author signed two histories), room (no room for its log), early (its author or its time is not due here)."
            )
            visitor.field(
                "needs", &self.needs, .any,
                "The subject of the missing item; left out unless the item waits.")
            visitor.field(
                "known", &self.known, .any,
                "Whether you know the author of an item that waits; left out if not.")
            visitor.field(
                "ask", &self.ask, .any,
                "A question to others for the missing items; left out without asks, or if nothing is known to be missing."
            )
        }
    }

    package struct Result: ControlValue {
        package var outcomes: [Outcome] = []
        package var asked: [ExportItemsMethod.Item]?

        package var expectedBytes: Int {
            (self.asked ?? []).reduce(4_096 + 160 * self.outcomes.count) {
                $0 + $1.data.bytes.count * 4 / 3 + 160
            }
        }

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("outcomes", &self.outcomes, .any, "One for each item, in order.")
            visitor.field(
                "asked", &self.asked, .any,
                "The items that others ask for, each to be published if it is missing there; left out if none."
            )
        }
    }
}
