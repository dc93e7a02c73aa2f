package import Formats

/// Why a device was not linked, revoked or renamed.
package enum DeviceFailure: Error, Hashable, Sendable {
    /// The other device is not linked to this one.
    case unlinked
    /// It does not answer, or went no further.
    case silent
    /// It has answered as many beginnings as it does within an hour.
    case refused
    /// The user began another linking.
    case replaced
    /// No linking is under way whose digits could be typed.
    case noLinking
    /// The digits are not those that the other device shows.
    case wrongDigits(left: Int)
    /// No linked device shows this code.
    case wrongCode(left: Int)
    /// Wrong digits were typed too often.
    case triesSpent(milliseconds: UInt64)
    /// What was handed over is not meant for this device, or is damaged.
    case forged
    /// Only a device with the person's key can do this.
    case noPersonKey
    /// The device is not one of the user's.
    case notOwn(PeerID)
    /// The user has no other device.
    case onlyOne
}

/// A device of the user's person.
package struct OwnDevice: Hashable, Sendable {
    package var id: PeerID
    /// What the user calls it; empty where they have not said.
    package var name: String
    /// Whether it is this one.
    package var isHere: Bool
    package var isLinked: Bool
    /// When it was linked last, in wall-clock milliseconds; 0 where that is not known.
    package var lastSeen: UInt64
    /// When it was revoked, in wall-clock milliseconds; nil for one that counts.
    package var revoked: UInt64?
}
