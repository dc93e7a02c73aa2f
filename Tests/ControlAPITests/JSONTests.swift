import ControlAPI
import Testing

@Suite("JSON codec")
struct JSONTests {
    @Test("values of every kind survive parsing and writing, in order")
    func everyKind() throws {
        let text =
            #"{"z":null,"a":[true,false,-1,9223372036854775807,-9223372036854775808,1.5,""],"é":"\u0000 \n\t\"\\"}"#
        let value = try JSON(parsing: text)
        #expect(value.text == text)
        #expect(value["a"]?.arrayValue?.count == 7)
    }

    @Test("white space around values is ignored and a second value is refused")
    func space() throws {
        #expect(try JSON(parsing: " \t\r\n[ 1 , 2 ] \n") == [1, 2])
        #expect(throws: JSONError(.trailingBytes, at: 2)) { try JSON(parsing: "1 2") }
    }
}
