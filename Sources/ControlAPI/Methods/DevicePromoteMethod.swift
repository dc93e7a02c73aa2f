/// The method `devicePromote`.
package enum DevicePromoteMethod: ControlMethod {
    package static let description = MethodDescription(
        "devicePromote", "Let this device approve and revoke others, by the key in your backup.",
        details: "Your person's key is taken out of the backup and kept on this machine.",
        refusedWhere: "holdsPersonKey", "this device holds your person's key already")

    package typealias Params = RestoreMethod.Params

    package typealias Result = DeviceResult

    /// Refuses a path that means another file to the daemon than to its client.
    package static func check(_ params: Params) throws(RPCError) {
        try RestoreMethod.check(params)
    }
}

/// The method `deviceDemote`.
package enum DeviceDemoteMethod: ControlMethod {
    package static let description = MethodDescription(
        "deviceDemote", "Remove your person's key from this machine, once a backup holds it.",
        details:
            "The backup is opened first, so that the key is not lost. Then this device can neither approve nor "
            + "revoke devices, nor make a backup; it stays yours.",
        refusedWhere: "noPersonKey", "this device does not hold your person's key")

    package typealias Params = RestoreMethod.Params

    package typealias Result = DeviceResult

    /// Refuses a path that means another file to the daemon than to its client.
    package static func check(_ params: Params) throws(RPCError) {
        try RestoreMethod.check(params)
    }
}

extension MethodDescription {
    /// Describes a method that moves the person's key by a backup.
    fileprivate init(
        _ name: String, _ summary: String, details: String,
        refusedWhere word: String, _ meaning: String
    ) {
        self.init(
            name, summary, result: "device", errors: [.refused, .busy, .storageFailed],
            isChange: true, details: details + " If it is refused, nothing changes.",
            reasons: [
                word: meaning,
                "credential": "systemd provides person.key or sealing.key",
                "otherPerson": "it is the backup of another person",
                "unreadable": "the file cannot be read",
                "notBackup": "it is not a backup",
                "newer": "a later version wrote it",
                "damaged": "the file is damaged",
                "wrongPhrase": "the phrase does not open it",
                "badPhrase": "a phrase of six words has a mistake",
            ])
    }
}
