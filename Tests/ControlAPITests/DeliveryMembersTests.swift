import Testing

@testable import ControlAPI

@Suite("Who must have a message") struct DeliveryMembersTests {
    @Test("is any, all, a number or people by name")
    func read() throws {
        #expect(try DeliveryMembers("any") == .count(1))
        #expect(try DeliveryMembers("all") == .all)
        #expect(try DeliveryMembers("12") == .count(12))
        #expect(try DeliveryMembers("@ada") == .named(["@ada"]))
        #expect(try DeliveryMembers("@ada,@Ben Cole") == .named(["@ada", "@Ben Cole"]))
    }

    @Test("cannot be more than there are, which is said once the time is over")
    func unmet() {
        let sent = SendMethod.Result { $0.deliveredTo = ["a", "b"] }
        func said(_ others: Int, isRead: Bool = false) -> RPCError {
            .deliveryTimeout(
                sent, isRead: isRead,
                number: SendMethod.UnmetNumber(wanted: 7, others: others, conversation: "agora"))
        }
        #expect(
            said(2).message
                == "the message is stored, and 2 of 7 have it; agora has 2 other members")
        #expect(said(2, isRead: true).message.contains("2 of 7 have read it"))
        #expect(said(2).remedy?.hasPrefix("do not send it again") == true)
        #expect(said(7).message == "the message is stored but was not delivered in time")
    }

    @Test("is nothing else, and the error says what would do")
    func refused() {
        let many = (0...DeliveryMembers.namedLimit).map { "@p\($0)" }.joined(separator: ",")
        for text in ["", "0", "-1", "01", "10000", "ada", "@", "@ada,", "@ada,ben", "ALL", many] {
            do throws(RPCError) {
                _ = try DeliveryMembers(text)
                Issue.record("\(text) was read")
            } catch {
                #expect(error.reason == "badMembers" && error.remedy?.contains("@ada") == true)
            }
        }
    }
}
