/// The method `lock`.
package enum LockMethod: ControlMethod {
    package static let description = MethodDescription(
        "lock", "Lock this node: forget its keys until it is unlocked.", result: "nothing",
        errors: [.refused],
        details:
            "The daemon answers, closes all links and connections, and runs itself anew, so that no key or text "
            + "is left in its memory. A locked node answers status and unlock, and any other call with the error "
            + "locked. Locking a locked node does nothing.",
        reasons: ["noLock": "no passphrase is set"])
}

/// The method `unlock`.
package enum UnlockMethod: ControlMethod {
    package static let description = MethodDescription(
        "unlock", "Unlock this node.", result: "nothing", errors: [.refused, .busy],
        details:
            "It takes about a second; a second call meanwhile is told busy. Without a passphrase the desktop's keyring is "
            + "asked, for at most some seconds, where it has the key (setKeyring) and the node was not locked after "
            + "the start. The connection is closed once the node is "
            + "open: connect again. Unlocking an open node does nothing.",
        reasons: [
            "wrongPassphrase": "the passphrase does not open the lock",
            "passphraseNeeded": "passphrase was left out, and no keyring is asked",
            "keyringAbsent": "no desktop's keyring can be reached",
            "keyringLocked": "the desktop's keyring is locked",
            "keyringMissing": "the desktop's keyring does not have the key",
            "keyringChanged": "what the desktop's keyring has does not open the lock",
            "keyringFailed": "the desktop's keyring does not answer as it should",
        ])

    /// What opens it.
    package struct Params: ControlValue {
        package var passphrase: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "passphrase", &self.passphrase, .bytes(ControlLimits.phraseBytes),
                "The passphrase of the lock; left out: the desktop's keyring is asked.")
        }
    }
}

/// The method `setLock`.
package enum SetLockMethod: ControlMethod {
    package static let description = MethodDescription(
        "setLock", "Set, change or remove the passphrase that locks this node.", result: "nothing",
        errors: [.refused, .busy, .storageFailed], isChange: true,
        details:
            "With passphrase alone it sets a lock, with both it changes the passphrase, with current alone it removes "
            + "the lock. The node stays open. Setting or removing a lock ends all other connections: a client that finds "
            + "\"lock\" in the status keeps no text on the disk. A change keeps what the desktop's keyring has, a removal deletes "
            + "it. Nobody can recover a passphrase that was forgotten.",
        reasons: [
            "lockSet": "a passphrase is set already, and current was left out",
            "noLock": "no passphrase is set",
            "wrongPassphrase": "current does not open the lock",
            "weakPhrase": "the passphrase is too easy to guess",
            "badPhrase": "a passphrase of six words has a mistake",
            "cannotJudge": "libzxcvbn is not installed",
            "noBackup": "no backup of this person was made",
        ])

    /// The new passphrase and the one that counts.
    package struct Params: ControlValue {
        package var passphrase: String?
        package var current: String?
        package var withoutBackup: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "passphrase", &self.passphrase, .any,
                "The new passphrase, 1 to 200 bytes; left out: the lock is removed.")
            visitor.field(
                "current", &self.current, .any,
                "The passphrase that counts; left out if there is no lock.")
            visitor.field(
                "withoutBackup", &self.withoutBackup, .any,
                "True: set a lock although no backup was made.")
        }
    }

    /// Refuses a call that says nothing.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.passphrase != nil || params.current != nil else {
            throw .invalidParams(
                "setLock needs \"passphrase\", \"current\" or both", reason: "missingParam",
                remedy: "give the new passphrase, or the current one to remove the lock",
                details: [JSON.Member("param", "passphrase")])
        }
    }
}

/// The method `setKeyring`.
package enum SetKeyringMethod: ControlMethod {
    package static let description = MethodDescription(
        "setKeyring", "Have the desktop's keyring open this node when the daemon starts, or not.",
        result: "keyring", errors: [.refused, .busy, .storageFailed], isChange: true,
        details:
            "The key of the lock is kept as an item of the default keyring (Secret Service API, on the session's bus), "
            + "beside the passphrase. The daemon never asks for a prompt: the keyring must be unlocked.",
        reasons: [
            "noLock": "no passphrase is set",
            "wrongPassphrase": "the passphrase does not open the lock",
            "keyringAbsent": "no desktop's keyring can be reached",
            "keyringLocked": "the desktop's keyring is locked",
            "keyringNone": "the desktop has no default keyring",
            "keyringFailed": "the desktop's keyring does not answer as it should",
        ])

    /// Whether it is to be so.
    package struct Params: ControlValue {
        package var use = false
        package var passphrase: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "use", &self.use, .any,
                "True: put the key there, anew if it is there already; false: delete it.")
            visitor.field(
                "passphrase", &self.passphrase, .bytes(ControlLimits.phraseBytes),
                "The passphrase of the lock; needed with use true.")
        }
    }

    /// What is left there.
    package struct Result: ControlValue {
        package var left: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "left", &self.left, .any,
                "Why the item could not be deleted, a sentence; it opens nothing. Left out if it is gone."
            )
        }
    }

    /// Refuses a call that lacks the passphrase.
    package static func check(_ params: Params) throws(RPCError) {
        guard !params.use || params.passphrase != nil else {
            throw .invalidParams(
                "setKeyring with use true needs \"passphrase\"", reason: "missingParam",
                remedy: "give the passphrase of the lock",
                details: [JSON.Member("param", "passphrase")])
        }
    }
}
