// Written by generate.py beside this file; do not edit.

/// A whole handshake and some messages of its stream.
struct HandshakeVector: Sendable {
    let name: String
    let prologue: [UInt8]
    let initiatorStatic: [UInt8]
    let initiatorEphemeral: [UInt8]
    let responderStatic: [UInt8]
    let responderEphemeral: [UInt8]
    let payloads: [[UInt8]]
    let messages: [[UInt8]]
    let payloadHashes: [[UInt8]]
    let handshakeHash: [UInt8]
    let transport: [TransportVector]

    static let all: [HandshakeVector] = [
        .init(
            name: "an empty prologue and empty payloads",
            prologue: hex(""),
            initiatorStatic: hex(
                """
                47215a48506025b847cfa29d9b19037a20b63cdd2b3057241199db8d2165450f
                """),
            initiatorEphemeral: hex(
                """
                2d1813894c4346aefc13ba3e7b72df2384f1cbe67f4678b8259fd6f4676ae28c
                """),
            responderStatic: hex(
                """
                3bc0e0f7e36fd04dd629ef292c3b46f5aee87fde6af5081312b752b1c27e3d02
                """),
            responderEphemeral: hex(
                """
                6b55f00d3ea1dde79f8ed2d1affd2940a47489da4b673d42c7941dbcd34d8d7f
                """),
            payloads: [
                hex(""),
                hex(""),
                hex(""),
            ],
            messages: [
                hex("3e5d2ad26adf123ee447d41abafabc259951112198b98fad7cbd6ed69e648b1c"),
                hex(
                    """
                    fd27a753eb61cec07b96b99e6a0e163c9bb9d58d191547c029fdca076167b5213e431f245fb5c90f
                    1d669d0f20a247ed8ba150b6387bd94e9543af3790215d6e01e896c9d0a401fa4b4fc4c9aaab3847
                    9d77f19a9ec5d0c5f7355369b6f99522
                    """),
                hex(
                    """
                    89121c1ba8c74d246f7c6b4f7bc244dc8bfec91f680dc75edc6917f70865f013b4b4914286f0268b
                    6a72d117e142fd81e8cf6a5f6ac6866c1e9eac88da1b4589
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    254d404de323000b680a0cffcb198b9aa0084199ed5737a59e1475fd97e0bb5f09328dd5629a5948
                    9b10c2177b040f1f162235ca40f7d5bea417897478c3209c
                    """),
                hex(
                    """
                    fc5d23356a4e0d3266017cbbd43e9b1a059c9a00027be4b704467d19989992db929b8a551688e976
                    70a32cb0e8c7c757770c6dddafcf41218eab7fb634e4c993
                    """),
                hex(
                    """
                    96d2914b97a5555b9c16ec23e3c09f9ba9ca45b730dde2b4943fcf03ee2d9bbc4962058304faf7a2
                    59dcac298e48ffce8d7a4e51a6c70a86c4fef8a73fb98127
                    """),
            ],
            handshakeHash: hex(
                """
                2e9fa68fb56efee193ac5443736849e5c0f608825fc0f701377d4f5e0b16d8841b9b2b12161dfa39
                893f900c02c31292ac80438a40eb9313239258e535138797
                """),
            transport: [
                .init(
                    nonce: 0,
                    plaintext: hex(""),
                    fromInitiator: hex("ab0f612184a0db044ead0a06962c8df8"),
                    fromResponder: hex("6abbbe54b837ddb595e40d28d6338b6a")),
                .init(
                    nonce: 1,
                    plaintext: hex("99fefa0e8a06cd8a18"),
                    fromInitiator: hex("a2752d6c595d36e75275883b6c3282babe017ba3e4503b4664"),
                    fromResponder: hex("4f07c99e5c4dbc30412b613fdc71de5b76f0d57190f98d980d")),
                .init(
                    nonce: 65535,
                    plaintext: hex("3c747a8ddbc60e4f56"),
                    fromInitiator: hex("c0c5795033774f1779ccce6533cce1a595e1b15d62edcb8b3d"),
                    fromResponder: hex("4221acd23e4f8bac03b68e48a49118fa29cf45d06ae04f0cf0")),
                .init(
                    nonce: 65536,
                    plaintext: hex("2a5a09ab169e1165c4415445179c359916f3"),
                    fromInitiator: hex(
                        """
                        7fc1ffc76786d22315f374772c87b46ee5033795cc8fce297d2ae84947afa3af202c
                        """),
                    fromResponder: hex(
                        """
                        8dc5571818a79d6647a831f4fd8cd64a4a6b0d8af55a15f44f0fd941171007a2e22d
                        """)),
                .init(
                    nonce: 131072,
                    plaintext: hex(
                        """
                        c74b602370d0a04c10f9acd0ae2a66fb39f0f4480dcd3e277552658d5490a3292858fe5d
                        """),
                    fromInitiator: hex(
                        """
                        ba89ccfd259c1de47b7406c3b6dd0e7af30738615df48d3c2b0b4a0624dbcff6cfecb9d63e72b5e3
                        33580c7000cdbf646d6da6c6
                        """),
                    fromResponder: hex(
                        """
                        12607e1654e7ecc7e98783b7da7cb022a5ba3d436601ad828fe66443aec3809c1797d45a853899dd
                        ee24f94bf4b4dbd4f8d7b7c0
                        """)),
            ]),
        .init(
            name: "a preface as prologue and identity payloads",
            prologue: hex("73746f61010100"),
            initiatorStatic: hex(
                """
                85841d54aab327fa11b240faacc341f14ccb31ca8788c15268956f6acadd56cb
                """),
            initiatorEphemeral: hex(
                """
                d4e9073c585f0a83dfcc82db31450a642723de70afddcc5f88891cd11660df6b
                """),
            responderStatic: hex(
                """
                a8cd4d0b6a2ff085b69a04c9065ce9a60375efb6c85c2208b3d7300502dede60
                """),
            responderEphemeral: hex(
                """
                dc2482389379aadefb722b0085f79ef05d1381b511e8d5357c10e5e91de28c2d
                """),
            payloads: [
                hex(""),
                hex(
                    """
                    3175f345ba4400e6f18d68be90f28ea545961f1a8dbd62811db8aaebeb9089bdaa7dd8d57911087f
                    4b17cc39c7b76f09b060d15128cc7941b7f4ab59bec80f807a2464302f6c2f998247af3fe3a58754
                    30d841b7a6906b5f959a913feb3a1f05d96b4d8571ed2587511889124e686331a702eb43acac80b9
                    c0cba895b932eeb1ffcdc5db315b377ffd844554ee852539148afd1b1dc25bbd6a76dd1fe91aa2aa
                    """),
                hex(
                    """
                    8ea736efd68cefa3c51d53ab6e416741776130c554030ab5bc6a19d2b44ea87da2e3f80ef647849e
                    f97a83751bde1ea4a76e2cc791b33baef448507025fa45e642e2d539696936b6044435a0563350d0
                    abcf4e87d8c45b7f870795a2cda58a0a3b53788faba2660f540f71e38ef82e5cd468143c88219ec3
                    019f0ebc245b1ab5e1d18206552389e082c7a72d88f559f71eeb3de74d7531d2d516cf28b612f129
                    """),
            ],
            messages: [
                hex("8643bd832e5016b88f3c73075bebfba1a3e68deb733536a6d61a8fd9b953d755"),
                hex(
                    """
                    5e47d3a3f2c56aca115aa0e31b5212d24c429173003b40466a560b8857a364174120f1a87f4d582b
                    bb8018ee7dc2f6772758f02a4e76a829b25cb8466381ceda1aff46aaddaf8cf19ed98ec99cf12875
                    2a92d4a9995fbd6c05d1a707be14b7f4319ea8af801368cc0fd7115b3e1bb394078d5c5f6ab5af45
                    425d99cc6280ef28f46576046dd2f8be4fb6e96332ef575b09cd2fad1e8e5241201deb24f2d712e3
                    bc75251fe28932db0ba91c59167aae5dd997733819dac6862a2c7bfe4dfdffc440d12a0efa66a3ff
                    dcfc84e8026ca3b047e6dd482f74ff8c1c4177e8a0213b836c581373f530ac1b026f0e0ce600b20d
                    d07d58244aa6b91c1bdafe82bbcaddde
                    """),
                hex(
                    """
                    d3a367a26e2d13dd347ef06d3c733236d247cf876b55a6d3a73fb6c132b516325894ee0873213633
                    f4806dc9edb9a7a3b032dfb824819071b32f131bbd09ebe6e38aae9e8bd6966d219c3336c0f59763
                    ecf47105cee4fd8d8f7fb7fb2c57f98900f44507dbca3e0e91010f962c51b0e3f4bfacffce6ede0e
                    826df4944d71eca17f5180e7801c36c0238d80dd6e3967a09402f9419a92a044ccb71b1643d83c4e
                    facb3e3f42e4a7dc48590cbe32e8222133f645536dab05db973e30ee55f5fb1d09cdef6444b7de4d
                    d3ea0ec05dfad0bed2bc28311981292019d4472cd283950e
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    0d478d140933ed13cebc0549f5b5eacd3a8bc2698f14d5a668dedc6f00eb2c77f27d0ab6b789fc3a
                    8ac48d074fe8ca41afa53609e5c803f148f94d64cc039389
                    """),
                hex(
                    """
                    013edb55f401deed096f94e779fc3abe04046bc9a4e6a8110a5307ff37c8e9a578ca798add8c05db
                    c276af7c1af015270547325e76290997ed04cd1c838eb5c2
                    """),
                hex(
                    """
                    2f1f74f2522b0674b9511b8ab834e8968db80c8e1b0be48018aaf5491129ec00bce719509211ee6f
                    b14209274752b1415b6648257f1ec25ff7beed3d1334add9
                    """),
            ],
            handshakeHash: hex(
                """
                9cbd9cda49e1baf28d86c6ef06405b4cdd91e5c851ca68bd0d38b3d227af0f912d281ab2bd85fe77
                7a4889e155831766f17f5170c24c69d0c8749997995d625f
                """),
            transport: [
                .init(
                    nonce: 0,
                    plaintext: hex(""),
                    fromInitiator: hex("03ad79497e437bf2ef746fdd1286e378"),
                    fromResponder: hex("b50e86016a27f89d87f94cc17d730368")),
                .init(
                    nonce: 1,
                    plaintext: hex("7ccda84d8e0731e2c7"),
                    fromInitiator: hex("c569505b7028c1e9faa22e2d93677ebca12e62f5b32e33c685"),
                    fromResponder: hex("f3fda14b642c3ac7f5eb68411bd562b4c7125f79867382a698")),
                .init(
                    nonce: 65535,
                    plaintext: hex("5ec277d5d9745a06dd"),
                    fromInitiator: hex("d6fda841f837df13e52fdc2ad1ce043c2e0d6a581d9f4ad3ee"),
                    fromResponder: hex("8924adb8b992d8ef7de12f995d0709322599e9087f25afd87b")),
                .init(
                    nonce: 65536,
                    plaintext: hex("4393a727f94855d4c3c15b38dc3ebb891227"),
                    fromInitiator: hex(
                        """
                        cd9d584aae20b4c0f8af297cdbfe9ca9e3874c5cebc07dc1329a81b683bb3889b25b
                        """),
                    fromResponder: hex(
                        """
                        d6d76edb0d736412c4b1bede3f6747d15d8b81d7749ae232e6de5ac97eeb9248b247
                        """)),
                .init(
                    nonce: 131072,
                    plaintext: hex(
                        """
                        1487dab72ba3763edfa76d3653615c07faad3026a5eb6623dfc87c47c14bf3c85d6046cc
                        """),
                    fromInitiator: hex(
                        """
                        1ab8f2973d289fb367fa428c5f3aa07307fe8cfe6bd42db5a9827d667e41d78a0a71e36e8981f4c5
                        520f3abf22313076090c2557
                        """),
                    fromResponder: hex(
                        """
                        2855321fa5ded364fdf10a3bde7f09acc5480f754f84e6487364fa0b5bcb063d8c5dddade85b54b6
                        9ebba07404f7af68ac056e5f
                        """)),
            ]),
        .init(
            name: "a prologue of a whole BLAKE2b block",
            prologue: hex(
                """
                b59f5d5a7f2344709a28bf3b85c4b19d656b90bf41f9f9cde09cdb29be85303e9fec54c25c8b1f28
                7b313ab9d6711f5ef82ff2fb2f642f3a750623cd0d5d45b6307fab2ae398f51e3faf148ca867ff89
                8b09fc8519831916029858b1ca919b04c595264fb9869009671559749b285eb30e586f12a80400e9
                650bc82f4aec996f
                """),
            initiatorStatic: hex(
                """
                13ee4cbfba88c82f6ffec1f5d440cdb0c63d89a4e7f8cea420650703448c3645
                """),
            initiatorEphemeral: hex(
                """
                3d9f2804d1d961b8ee03231bf3e65fbe2ac95413ac9ea4cc4b036107c2578c02
                """),
            responderStatic: hex(
                """
                7d7cfabb0ebdaf91ed58915dd169f864fe492e1faaf114e5a3fdc509719e1377
                """),
            responderEphemeral: hex(
                """
                62a1a90972591e15d23bd79794578a137772b55060db8af003f30744e312a841
                """),
            payloads: [
                hex("2a"),
                hex("be4372c8e7209d06a37955268ca0da"),
                hex("cec3f7b22fea3b50eaff3068662e5595"),
            ],
            messages: [
                hex("bd40f81079f908efaeb76bcdb74969c105b961b73d6762bf274d8779003a275c2a"),
                hex(
                    """
                    5d2f9b65d3d166bfb22b03201e28b4d74e37ac8cfa6bd1a386c66718379a360623b13cf7a4ebceda
                    a8d17cb8815e12b69712563749f180308299d7775741c1efbe50feed82bbe0b47f31f910e63ad2e7
                    a2385fed22a6d563c74d945649a0d0aa4fae2456b42599e7411f7d9dbddad8
                    """),
                hex(
                    """
                    48eba4843b26ce17d91362ec50d8bbd3e875e47db53c17b6e14425835d0d242638896a047dacdd70
                    28acda8626d381a1b9d6ae6c9b89fc20caddf6d31b77696c3e9604eaa9d188a2efbe93309153a585
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    9b8b97245251408f224de16b83f39559431b1a7cddb2ff37247c85d80cb3d4e3bbef410d10e5902d
                    de10c76624175d9d2f0d22e976900623b566b7f289b35f42
                    """),
                hex(
                    """
                    128e2d52d4a1d0667104c627e8e1982e50810f97a6b5a7924e21e2f0e078c03b67cf51bbb018c031
                    6d7a0090d57d4681102f032ced037f0fad39eff0a5613013
                    """),
                hex(
                    """
                    be5d01f5330833858c5ef855cde63061fbaaac0781d3ccade2ea337b93b48a6c455770e018c5eb0a
                    043bb024a0f2171393b292f6945266fd7a7db333c5d240ee
                    """),
            ],
            handshakeHash: hex(
                """
                6892a0f227d65487880b832bed3e49a8efc39a2830b1962a6636df7a66e615ded95fbbf6fdd218b9
                09d05a49b744f39f5e386729602ed0bcaa487159733b393e
                """),
            transport: [
                .init(
                    nonce: 0,
                    plaintext: hex(""),
                    fromInitiator: hex("a7c4dc050a960f503fc042363b88253b"),
                    fromResponder: hex("19da0c283626e592bac3d1a7917baefd")),
                .init(
                    nonce: 1,
                    plaintext: hex("35754993b1aeaf2798"),
                    fromInitiator: hex("d29257da2f743f3545ac0ad5928bd399b2835502ba3f6f63f5"),
                    fromResponder: hex("484bfbb7cd7913e911554f9d660eea70ee73093e7e42b10391")),
                .init(
                    nonce: 65535,
                    plaintext: hex("b8b1330e20fc6e62d6"),
                    fromInitiator: hex("58b83ccec365132ffa88897e6bd64d9c15efa4b55f603fc66f"),
                    fromResponder: hex("4c8548dd18c69c163b98d577408e5e23a53999f89bb1aa0188")),
                .init(
                    nonce: 65536,
                    plaintext: hex("3594686c3696fb5028df43c7fa64d5a751d2"),
                    fromInitiator: hex(
                        """
                        cd01ededd11f5ef11fc3a93b4ed3f709ba18b127c0eb1919292dfd0c1d5ecdcb2d33
                        """),
                    fromResponder: hex(
                        """
                        c8ab8e65ffec85e07334080321c12c730e1d6e1f4cf18819bbf48c25cbcdc02f54ff
                        """)),
                .init(
                    nonce: 131072,
                    plaintext: hex(
                        """
                        362c4beff87ae2abf11f03f195d8f2df8439fab05ce095c449f08906dd6816b75e5da67f
                        """),
                    fromInitiator: hex(
                        """
                        e4b7f5d0ba92e6587959451b6c8fc7617fcda01962e27267b4947bef51a64626c45380c84005d401
                        923ac5ccc52add5eb6366098
                        """),
                    fromResponder: hex(
                        """
                        74a6f648a088cdb5465bf27d4744d9e955cbc2e9e69a3c077824a7cb948d4586ba4f453cf2cae37b
                        91acbb38fd31201e78c4f955
                        """)),
            ]),
        .init(
            name: "a payload in every message",
            prologue: hex("00"),
            initiatorStatic: hex(
                """
                8471f5eef9a04bd798bbc49fec41398357aef6a3565749d01256542794539980
                """),
            initiatorEphemeral: hex(
                """
                bed4dabff731646f60632d4acdd5c6bfb97b603531364c9aeca3998fca731b4e
                """),
            responderStatic: hex(
                """
                c27b01cbaa5c8e99b1f947efd73744ea0e051b8284e34723ca949e590ce10e1a
                """),
            responderEphemeral: hex(
                """
                d6c5ef2de209f39c05fb71f2452fe251b0fbe59f80e9cee427efee9f38510ba3
                """),
            payloads: [
                hex(
                    """
                    7774317c98d08ba66907f29cfb8eda557eb79ffa1fc04348ac2c1621b0922fa32e18df2b2784ecb1
                    168cdadeded7c9f5e9fcf9f4f38c30920c7958abf692f4daf70f09d9c31877670f8a00a324b7ac79
                    b777faf7d9e3fb845db13793e78284032712e730
                    """),
                hex("5f"),
                hex(
                    """
                    03fce23a46c28c0a2b34b8da87aee0ecfc3e14aeed0f4167e4549d4c10bf1c3fb33cd9523bef4f49
                    c0980b1ea199d57e8dcd177282dc36197e53185716cee2afd380dbc71285a727c78d793f54fceccf
                    04fa2c89cff8fe4d92391322f4e2ae33d4a52987536410402821bd32f4d9c5ef7b317e44510d3026
                    cab69cb250d70affbed8e5aafc41bca384e2c348b5f9d5fbafdca76fb1d190b2c430b45afe1d74a2
                    84cb56b368e9a65ae0684a9b08149393cad05bb6f7716c6580dedba91071c69cab7d96acaf2f86c6
                    5e5b62abf2feda4df196f66ac98d8478f6c99ede8baccef72f00b5f8fc1397276a9ea5472a759260
                    961910cfab79acef5588df202843a2
                    """),
            ],
            messages: [
                hex(
                    """
                    03ec07b911157afe5ea4fb14410f9e0b7a7e8cb4e5e510bc998aa06959267b347774317c98d08ba6
                    6907f29cfb8eda557eb79ffa1fc04348ac2c1621b0922fa32e18df2b2784ecb1168cdadeded7c9f5
                    e9fcf9f4f38c30920c7958abf692f4daf70f09d9c31877670f8a00a324b7ac79b777faf7d9e3fb84
                    5db13793e78284032712e730
                    """),
                hex(
                    """
                    3873cac96df06ca92b414a036dc9993e814618a438b01ef723c1c77a4d7292441ca0b9a54b0ba595
                    264b374e4cd7b3a9b98d4e86edba98c1b908a10a8a96b66674759a1876be9cbdd6b0caf39a944a3c
                    8c924466edabc661be9cd90b783355ba7b
                    """),
                hex(
                    """
                    f7afddfff01e94bbc833465548f615575e9e4cef339262362bd5c8e5aa32a6c68abfe58000eb4f0f
                    361957d6fb537fbfea6e0e51f8162b288ae077e3268caac048405ec2e4199efba45296c1af5e473b
                    d7bc1e1a6c6d577deda6a19298fb73b11a3a750a16729db23100c6ba7433f03e515e7470658595b6
                    96f4eb01effb9033a63752f76495b36395fb8ff77276a3b789b83e4330cfef0f679846d708926d08
                    3c4f088b8aaccddb46f979450bc8791c89889677cbcc43bde4a9e16f12c9e52e37f56ea5d3b98548
                    f79425c3b0a622a8eb04ed47fe01069005e5dd2da3fc14347b211536e95fc9f5a1d954a252d15b58
                    6ff6bec39b98357acb752284f173738bb225ac34369f3fc9d151ab344e4756d1ed07b2b26665185c
                    7951a55f8f04e8b9399d3f2547df86f02f244fd28592e74cf5ae4b30461e818c2d3f54c8196e59
                    """),
            ],
            payloadHashes: [
                hex(
                    """
                    c50ddc34a7921e1bd27ccf5786698e3dad46ef2f2939ac91eafc9da0c89760ab1828003aa3344a60
                    eb66d5615268089960c5f1ed8f47172347d58ddf0ef8836d
                    """),
                hex(
                    """
                    9725520b73d354fd0dd25ea6208265dd4be3d669c5a5050a5e6240592717774582dd31547c226cb6
                    dca87d0ebe6a8866b43ee82fd7f5e240beb92c535944c277
                    """),
                hex(
                    """
                    4e66a279a5f93bc8c0606decbe298468eeebd4182522edcae31fb6905e65bbae1c05512d84845b19
                    da96312053e1d6ba69bd002c87d0ecb869fdfb61234ed223
                    """),
            ],
            handshakeHash: hex(
                """
                1b8a34f22ff08e21c3675c4cb6017f64645e74f181c5062ec04f0bec1a85ae0f2c507544e6fb0b23
                1be5cef779e797539c3b7069a984c00f9eed27ec3b24e02a
                """),
            transport: [
                .init(
                    nonce: 0,
                    plaintext: hex(""),
                    fromInitiator: hex("99be9ac4c074a562e59e920733053e43"),
                    fromResponder: hex("7f9441db0fe11714019e2a7d42b051e8")),
                .init(
                    nonce: 1,
                    plaintext: hex("89f85483166907079f"),
                    fromInitiator: hex("5147ec31975d1e3f482efb0747647d3b74ad1db3e35cd80550"),
                    fromResponder: hex("fcdf29b7f64ecfe769f402927daf6bcfbeb8bb37c74474de01")),
                .init(
                    nonce: 65535,
                    plaintext: hex("a78e85358e171ce64f"),
                    fromInitiator: hex("8bdb616f3bd12e3b6398568869d9e22304e633ef56b366060b"),
                    fromResponder: hex("c7fd8c1ec8092f14ed3721d5328a2565fcdf14046f07e53b06")),
                .init(
                    nonce: 65536,
                    plaintext: hex("72baff3bf42803ae72ab07dbf77a4b7629f6"),
                    fromInitiator: hex(
                        """
                        389da7a9d7b5088d515420a1c444cececb503386f9baad3152029140d4f33da54568
                        """),
                    fromResponder: hex(
                        """
                        31277410db1ff318d2e4381b43b754f8913a80ea6a351a3f275aad29d35f19c2a0d9
                        """)),
                .init(
                    nonce: 131072,
                    plaintext: hex(
                        """
                        99751ccd414cce5b63863bb525065fb06d9c02859bb45a5c1a6fc7eb1903d8121ed68b29
                        """),
                    fromInitiator: hex(
                        """
                        c241c63983e80e0203bf127ef0c66a4820604c577f43b4dcad67aab7d83e2ddee71c9c0e3c171601
                        9c1cb7dd13fe0ca93d72f157
                        """),
                    fromResponder: hex(
                        """
                        3e78be0863e6c2dac33ef72958037fe0129fec12123b84c3bb25f5c94feb699b1306fc39045fede2
                        5a8c56e5beec77c609f5468e
                        """)),
            ]),
    ]
}

/// One message of each direction at some place in the stream.
struct TransportVector: Sendable {
    let nonce: UInt64
    let plaintext: [UInt8]
    let fromInitiator: [UInt8]
    let fromResponder: [UInt8]
}
