/// What the daemon wrote: read as far as this version knows it, and as it came, for `--json` and other programs.
@dynamicMemberLookup
package struct Received<Value: ControlValue>: Equatable, Sendable {
    package let value: Value
    /// All of it, also what this version does not know.
    package let json: JSON

    package init(_ json: JSON) { self.init(json, Value(reading: json)) }

    private init(_ json: JSON, _ value: Value) {
        self.json = json
        self.value = value
    }

    @inlinable
    package subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member {
        self.value[keyPath: member]
    }

    /// The id of what was changed, where the result has one.
    package var changedID: String { self.json["id"]?.stringValue ?? "" }

    /// The elements of a list, each as it came; `name` is that of its field.
    private func elements<Element>(_ values: [Element], _ name: String) -> [Received<Element>] {
        // Those that cannot be read are left out of the values.
        let whole = (self.json[name]?.arrayValue ?? []).filter { $0.objectValue != nil }
        return zip(whole, values).map { Received<Element>($0, $1) }
    }
}

extension Received where Value: ListResult {
    package var items: [Received<Value.Element>] { self.elements(self.value.items, "items") }
}

extension Received where Value == HistoryMethod.Result {
    package var messages: [Received<MessageResult>] {
        self.elements(self.value.messages, "messages")
    }
}

extension Received where Value == SearchMethod.Result {
    package var hits: [Received<SearchMethod.Hit>] { self.elements(self.value.hits, "hits") }
}

extension RPCRequest {
    /// A notification as an event; what it is said to be is not looked at.
    package func event<Event: ControlEvent>(_ type: Event.Type) -> Received<Event> {
        Received(self.params.json ?? .null)
    }

    /// The message that a notification brings; nil where it brings none.
    package var message: Received<MessageResult>? {
        self.params.json?["message"].map { Received($0) }
    }

    /// The change that a notification brings; nil where it brings none.
    package var change: Received<ChangeResult>? {
        self.params.json?["change"].map { Received($0) }
    }
}
