internal import ControlAPI
internal import Engine
internal import Formats

extension DevicesMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "devices")
        let devices = shell.node.ask { $0.ownDevices }
        reply.answer(
            cut.page(of: Array(devices.enumerated()), byteLimit: reply.listBytes) { place in
                PagePlace(rank: place.offset, key: place.element.id.description)
            } element: {
                shell.deviceResult($0.element)
            })
    }
}

extension DeviceLinkMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if let check = params.check {
            try shell.confirmDevice(check, reply)
        } else {
            try shell.linkDevice(params.person, reply)
        }
    }
}

extension DeviceApproveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.approveDevice(params, reply)
    }
}

extension DeviceRevokeMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        guard let device = shell.node.ask({ $0.ownDevice(named: params.device) }) else {
            throw .notFound(
                "there is no device \"\(TerminalText.line(params.device))\" of yours",
                reason: "unknownName", remedy: "see your devices: stoa device list")
        }
        shell.request(.revokeDevice(device), reply)
    }
}
