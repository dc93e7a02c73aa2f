/// The names of methods that later versions will have; no other method bears one.
///
/// A call to one is answered by `notYet`, so that a program written for a later version learns what
/// it met. `Docs/ControlAPI.md` lists them, too.
package enum ReservedMethods {
    /// The names, in the order of the documentation.
    package static let names = [
        "devicePromote", "deviceDemote",
    ]
}
