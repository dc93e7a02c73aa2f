// Written by generate.py beside this file; do not edit.

/// An Ed25519 signature and the secret of two converted keys.
struct IdentityVector: Sendable {
    let seed: [UInt8]
    let publicKey: [UInt8]
    let message: [UInt8]
    let signature: [UInt8]
    let peer: [UInt8]
    let sharedSecret: [UInt8]

    static let all: [IdentityVector] = [
        .init(
            seed: hex("795c481779a2ec60dc767c5d52bf4d483071d882b422564a0de12d4cf3e8470f"),
            publicKey: hex("27b73b45037c26a5cecce133c559d01fd313f707a7a262f8f850ba3f5cf59ee5"),
            message: hex(""),
            signature: hex(
                """
                ce614e6238a8a71d26a52793f5ea92e477ed298bffd022ccff5c2aa22ad8aab3ef257464bcb21cf6
                a5a373356ccb3543747803a46c786ba5325cce6fe009b50f
                """),
            peer: hex("419d03cd2b57232f71a53cf50439acf452d04f9310ac8395069b1a9891e7075d"),
            sharedSecret: hex("218c719c30819371efef6c162eeedf24883bb8249813d170f3d0e45731a21626")),
        .init(
            seed: hex("46786f7e46497f3fdd06039574048ea36acf4db3551510aa6620d6c83cde7fb5"),
            publicKey: hex("8a06002306817a2bd1f640db1c462c89cc6dea09312fd16ddca0384c6eb00df2"),
            message: hex(
                """
                c7b3ab290939066837508238356f92bae8f282ea17f585ca3b5fd481569b6e5137f9926757a1a276
                4e05a5e72563b68a8ddf
                """),
            signature: hex(
                """
                ee1a20e9ffc0f8c645a1e2e6a4f929f52db9461e9af9c9f5f6bd121ce89902a9eb769244da9abaaf
                037c6e8b18d82d70371145d31a0ac4e56e2e8cbcadb8d80f
                """),
            peer: hex("c49d2d2ac91459571824ac0fbf7aa4114af8305859b136aa9a04c972716ddc25"),
            sharedSecret: hex("ea539806bdb96c6e0a4350403fa6f7ff8f4ac798f73ce880cf506aa6e8e16c72")),
        .init(
            seed: hex("367f3e9d039f949d0c66730c8ae9eaa92085af78584d06275b4e17daa103df18"),
            publicKey: hex("432c5e66191f8f2e56455be42852335b099e4daa91f76ab1183d0b96a217a5ce"),
            message: hex(
                """
                a9efc68a3143e768d474181c19b686db386c2e022a49a359d50ede99e72d30bf9a2f68f105a3cbde
                5ac2f0c3bcf7748a800d8c6147b4983ddaaa0bdabed73cab10e0182e36f3fd67c2ef0c55bc0b386c
                ad248b941bdf4a0966044a33759e1348ad703c3f
                """),
            signature: hex(
                """
                cffa995700b32aaecf2408332a4e82f4c3482a987f5b51b9b0d07b95900b31133ea263ee93e05e24
                c92f3587ac9dc7cc607aedb0ac3b8a57c53f0ef6198aa903
                """),
            peer: hex("70aad8fabc05fefa1aa9371c8fff384cd9f6e9f392771507b1238b5fa0f282c7"),
            sharedSecret: hex("682bcad5e2aa39d347102b9959da4fa83fa3a3d3903f943dd1e3955b8d064861")),
    ]
}

/// An Ed25519 public key that may name nobody.
struct RefusedKeyVector: Sendable {
    let reason: String
    let key: [UInt8]

    static let all: [RefusedKeyVector] = [
        .init(
            reason: "point 0 of the eight of small order",
            key: hex("0100000000000000000000000000000000000000000000000000000000000000")),
        .init(
            reason: "point 1 of the eight of small order",
            key: hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
        .init(
            reason: "point 2 of the eight of small order",
            key: hex("0000000000000000000000000000000000000000000000000000000000000080")),
        .init(
            reason: "point 3 of the eight of small order",
            key: hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
        .init(
            reason: "point 4 of the eight of small order",
            key: hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "point 5 of the eight of small order",
            key: hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85")),
        .init(
            reason: "point 6 of the eight of small order",
            key: hex("0000000000000000000000000000000000000000000000000000000000000000")),
        .init(
            reason: "point 7 of the eight of small order",
            key: hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa")),
        .init(
            reason: "y is p + 0, sign 0",
            key: hex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 0, sign 1",
            key: hex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 1, sign 0",
            key: hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 1, sign 1",
            key: hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 2, sign 0",
            key: hex("efffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 2, sign 1",
            key: hex("efffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 3, sign 0",
            key: hex("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 3, sign 1",
            key: hex("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 4, sign 0",
            key: hex("f1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 4, sign 1",
            key: hex("f1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 5, sign 0",
            key: hex("f2ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 5, sign 1",
            key: hex("f2ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 6, sign 0",
            key: hex("f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 6, sign 1",
            key: hex("f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 7, sign 0",
            key: hex("f4ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 7, sign 1",
            key: hex("f4ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 8, sign 0",
            key: hex("f5ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 8, sign 1",
            key: hex("f5ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 9, sign 0",
            key: hex("f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 9, sign 1",
            key: hex("f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 10, sign 0",
            key: hex("f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 10, sign 1",
            key: hex("f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 11, sign 0",
            key: hex("f8ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 11, sign 1",
            key: hex("f8ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 12, sign 0",
            key: hex("f9ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 12, sign 1",
            key: hex("f9ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 13, sign 0",
            key: hex("faffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 13, sign 1",
            key: hex("faffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 14, sign 0",
            key: hex("fbffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 14, sign 1",
            key: hex("fbffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 15, sign 0",
            key: hex("fcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 15, sign 1",
            key: hex("fcffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 16, sign 0",
            key: hex("fdffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 16, sign 1",
            key: hex("fdffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 17, sign 0",
            key: hex("feffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 17, sign 1",
            key: hex("feffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "y is p + 18, sign 0",
            key: hex("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            reason: "y is p + 18, sign 1",
            key: hex("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            reason: "x is zero with a sign",
            key: hex("0100000000000000000000000000000000000000000000000000000000000080")),
        .init(
            reason: "not on the curve",
            key: hex("0200000000000000000000000000000000000000000000000000000000000000")),
        .init(
            reason: "the base point plus one of order 8",
            key: hex("98519eadf35b995233b51b5cd23e9cc5a28b639b5a4af0ec903cb960d81b7819")),
    ]
}

/// An X25519 public key whose every product is zero.
struct SmallOrderVector: Sendable {
    let key: [UInt8]

    static let all: [SmallOrderVector] = [
        .init(
            key: hex("0000000000000000000000000000000000000000000000000000000000000000")),
        .init(
            key: hex("0000000000000000000000000000000000000000000000000000000000000080")),
        .init(
            key: hex("0100000000000000000000000000000000000000000000000000000000000000")),
        .init(
            key: hex("0100000000000000000000000000000000000000000000000000000000000080")),
        .init(
            key: hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")),
        .init(
            key: hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880")),
        .init(
            key: hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")),
        .init(
            key: hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f11d7")),
        .init(
            key: hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            key: hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            key: hex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            key: hex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
        .init(
            key: hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
        .init(
            key: hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")),
    ]
}
