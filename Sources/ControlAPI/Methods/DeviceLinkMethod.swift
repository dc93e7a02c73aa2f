/// The method `deviceLink`.
package enum DeviceLinkMethod: ControlMethod {
    package static let description = MethodDescription(
        "deviceLink", "Make this machine another device of a person, from one of their devices.",
        result: "linking", errors: [.notFound, .ambiguous, .refused, .busy, .storageFailed],
        isChange: true,
        details:
            "Call it first with person, or without if only one peer is linked: the answer is a code "
            + "of eight digits to be typed on the other device (deviceApprove). Then call it with check, the four digits which "
            + "that device shows: the daemon receives the person's keys and contacts, answers with content, and restarts within two seconds. "
            + "Both steps must be done within ten minutes. If it is refused, nothing changes.",
        reasons: [
            "used": "this daemon has been in a conversation",
            "credential": "systemd provides person.key",
            "noCandidate": "no peer is linked",
            "severalCandidates": "several peers are linked: name one",
            "unlinked": "the other device is not linked with this one",
            "silent": "the other device does not answer, or the time is over",
            "askedTooOften": "the other device was asked too often within an hour",
            "replaced": "another linking was begun",
            "noLinking": "there is no code whose check could be typed",
            "wrongDigits": "the digits are not those that the other device shows",
            "triesSpent": "wrong digits were typed three times within an hour",
            "forged": "what the other device has sent is not for this one",
            "realmName": "another realm here has that name",
            "tooManyRealms": "too many realms",
        ],
        example: ["person": "@ada"])

    /// With whom, or what they show.
    package struct Params: ControlValue {
        package var person: String?
        package var check: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word,
                "The other device: @name, or @ and 8 or more characters of its key.")
            visitor.field(
                "check", &self.check, .word, "The four digits that the other device shows.")
        }
    }

    package struct Result: ControlValue {
        /// To be typed on the other device; nil once that is done.
        package var code: String?
        /// What was handed over; nil before.
        package var content: BackupContent?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "code", &self.code, .any,
                "Eight digits to be typed on the other device; left out after check.")
            visitor.field(
                "content", &self.content, .any,
                "The other device's person, and how much of theirs came along; left out before check."
            )
        }
    }

    package static func check(_ params: Params) throws(RPCError) {
        guard params.person == nil || params.check == nil else {
            throw .invalidParams(
                "deviceLink takes person or check, not both", reason: "badParam",
                remedy: "give person first, and check once the other device shows it")
        }
    }
}

/// The method `deviceApprove`.
package enum DeviceApproveMethod: ControlMethod {
    package static let description = MethodDescription(
        "deviceApprove", "Let the machine that shows this code become another device of yours.",
        result: "approval", errors: [.notFound, .refused], isChange: true,
        details:
            "Answers with four digits to be typed there. Your keys and contacts go to that machine once this is done.",
        reasons: [
            "noPersonKey": "this device does not hold your person's key",
            "noBackup": "there is no backup, and withoutBackup is not true",
            "wrongCode": "no linked machine shows this code",
            "triesSpent": "wrong codes were typed three times within an hour",
        ],
        example: ["code": "12345678"])

    package struct Params: ControlValue {
        package var code = ""
        package var withoutBackup: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "code", &self.code, .word, "The eight digits that the new device shows.")
            visitor.field(
                "withoutBackup", &self.withoutBackup, .any,
                "Go on although there is no backup: if this machine is lost, no device can be added or revoked any more."
            )
        }
    }

    package struct Result: ControlValue {
        package var check = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("check", &self.check, .any, "Four digits to be typed on the new device.")
        }
    }
}
