/// The method `devices`.
package enum DevicesMethod: ControlMethod {
    package static let description = MethodDescription(
        "devices", "List your devices: the machines that are you.", result: "devices",
        hasLargeAnswer: true,
        details:
            "This device first, then those that were linked last. A device that this one has never met is not listed."
    )

    package typealias Params = PageParams

    package typealias Result = Page<DeviceResult>
}

/// The method `deviceRevoke`.
package enum DeviceRevokeMethod: ControlMethod {
    package static let description = MethodDescription(
        "deviceRevoke", "Say that a device is not yours any more, such as a stolen one.",
        result: "device", errors: [.notFound, .refused, .storageFailed], isChange: true,
        details:
            "Peers that learn of it refuse links from the device, and do not show what it writes afterwards. "
            + "In the user's groups its acts do not count any more, and it can read nothing that is written by those who know of it. "
            + "The device keeps everything that it had received. Before that, all linked members of these groups are asked for "
            + "what they have done there, for at most 10 seconds; nothing is done if the client goes meanwhile. "
            + "The answer names members who could not be asked, at most 200.",
        reasons: [
            "noPersonKey": "this device does not hold your person's key",
            "notOwnDevice": "it is not another device of yours",
        ],
        example: ["device": "@k3v9w2xq"])

    package struct Params: ControlValue {
        /// `@` and the beginning of a key.
        package var device = ""
        package var now: Bool?
        package var since: Timestamp?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "device", &self.device, .word, "A device: @ and 8 or more characters of its key.")
            visitor.field(
                "now", &self.now, .any,
                "True to do it without asking linked members first for what they have done.")
            visitor.field(
                "since", &self.since, .any,
                "Since when the device was in other hands: nothing counts either that it did in groups from then on."
            )
        }
    }

    package typealias Result = DeviceResult
}

/// The method `deviceRename`.
package enum DeviceRenameMethod: ControlMethod {
    package static let description = MethodDescription(
        "deviceRename", "Give one of your devices a name, which all of them show.",
        result: "device", errors: [.notFound, .refused, .tooLarge, .storageFailed], isChange: true,
        details: "Nobody else is told. Of names given at the same time, the last one stays.",
        reasons: [
            "onlyDevice": "the user has no other device",
            "notOwnDevice": "it is not a device of the user any more",
            "misleadingName":
                "the name could be taken for a key or a mark, or contains @ or control characters",
        ],
        example: ["device": "@k3v9w2xq", "name": "laptop"])

    package struct Params: ControlValue {
        /// `@` and the beginning of a key; this device without one.
        package var device: String?
        package var name = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "device", &self.device, .word,
                "A device: @ and 8 or more characters of its key; this one if left out.")
            visitor.field(
                "name", &self.name, .any,
                "The new name, at most 64 characters; empty to have none.")
        }
    }

    package typealias Result = DeviceResult

    /// Refuses a name that is too long.
    package static func check(_ params: Params) throws(RPCError) {
        let characters = params.name.unicodeScalars.count
        guard characters <= ControlLimits.nameCharacters else { throw .longName(characters) }
    }
}

/// One of the user's devices.
package struct DeviceResult: ControlValue {
    package var id = ""
    package var name: String?
    package var here = false
    package var linked = false
    package var approves: Bool?
    package var lastSeen: Timestamp?
    package var revoked: Timestamp?
    package var unasked: [String]?

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id, "The device's key.")
        visitor.field(
            "name", &self.name, .any, "The name that all your devices show; left out without one.")
        visitor.field("here", &self.here, .any, "Whether it is this device.")
        visitor.field("linked", &self.linked, .any, "Whether it is linked with this one now.")
        visitor.field(
            "approves", &self.approves, .any,
            "Whether this device holds your person's key, so that it can approve and revoke devices; left out for others."
        )
        visitor.field(
            "lastSeen", &self.lastSeen, .any, "When it was linked last; left out if unknown.")
        visitor.field(
            "revoked", &self.revoked, .any, "Since when it is revoked; left out if it is not.")
        visitor.field(
            "unasked", &self.unasked, .any,
            "Only from deviceRevoke: the names of members of groups who could not be asked first; left out if there are none."
        )
    }
}
