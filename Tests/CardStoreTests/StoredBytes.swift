/// What a sandbox held that was made by the last commit before stored names were written out.
enum StoredBytes {
    /// A sealed value, and what it holds, as JSON with sorted keys.
    struct Sealed {
        let bytes: String
        let json: String
    }

    static let storeKeys = """
        AfmH+evcPpQQk3PYqWB9qh+JxvxganTjVfT4+yF775BF6/sQO+6jCVJCQyYCeDMX8a1b67L2WHNPySz6prhpO8qkmcjq\
        Tzb8RenID3vI+wn4cd6gEB/eaX5vJktt
        """

    static let cardKey = "AbANlwmPoQjuRr8PLYLJChwTo7byJH2ZBmagXbWXT1rk2AeaP/DHwQ/YLNSXU9rAzZLP3eCi0W9MSCKvkA=="

    static let image = "AVplbCvWizxDjgnES7sKfMhhTyDCsPhUsQFr5VcFYi0JZw=="

    static let piece = "AVStyYShlzTdmYeKZCpei3frtVNAMzSnP14BpUxT790rRA=="

    static let chain = "h1P0lbbUxs/xarLOUs+OiTe0o3CH4Mu1tg/wKHCzQKc="

    static let report = """
        {"counts":{"delivered":2},"reason":"not_found","refusals":{}}
        """

    static let certificate = """
        {"access_mac":"00ff","access_number":7,"actor":"user:root","backend":"may_hold","card_id":"c\
        ard-1","deliveries":["k-1"],"erased_at":"2026-11-29T00:00:00.000Z","exports":1,"purpose":"T-\
        1","reason":"requested","scrubbed":false,"source_files":2,"verifier":"not_sent"}
        """

    static let metadata = Sealed(
        bytes: """
            AUsVY3jsu49LKGYjlETH+aw+utnpwuAs4HrST+Ab9C+lMfOWN9/PL2A3YpUeWP0r0c6vIRtSUln11Iw+HOdY7uK7\
            qIQz36yxUKkkhU27ib6/vEj3IhKDKLtE4bRrSBTfHvXhmJg1TBjCNS40g2XR3hmgG2zNEqCFtKa1TfR5gcl/AQIL\
            dPyJjAGt/ZnPiVUd
            """,
        json: """
            {"expectedIDNumber":"11010519491231002X","expectedName":"SPECIMEN","inputName":"in/front\
            .jpg","userNumber":"U-1"}
            """
    )

    static let message = Sealed(
        bytes: """
            AYRw5vN6LqaTcKGE4v2l+q58pFBGJ3zj4lCPtCAA8oZgixU77jS8GTyXfzoxTb8W5330qV/9kBMsEaWt2KVWJqqJ\
            rbaDzmUWHnWSp65R/6TK517VZOyt/hLYlSNRhJrUPRfFvQxDCAtk6f61GIs6Ynp/uIKjUfsz7VwtTSm535K688En\
            yV/JoDL+SKSbCAJJp03nD7wQtzR89PxoEX9EKc8gUcQ8tvujVCHZ3iql2FCRKkUS9TLIXdqmhezRLPHErXllID+r\
            Uk9KefQya7xlbb5EOZQVDvqURedaeY0Ax+r4jJOaVSJQ8eYy/g+iMk7WFBjKirpwUr81l8e8q1h562wQ734LR90r\
            V8f05eTbXteP55YKiGw66VZkgp7etttyXMxpVRMOqoNSfeYIZODj
            """,
        json: """
            {"arguments":[{"text":"c"},{"personal":"SPECIMEN"},{"count":3},{"bytes":5},{"duration":2\
            000},{"date":{"millisecondsSinceEpoch":1700000000000}},{"errno":2},{"list":[{"count":1}]\
            },{"message":{"arguments":[],"id":"test.text","text":"inner"}}],"id":"test.pinned","text\
            ":"test"}
            """
    )

    static let decision = Sealed(
        bytes: "AYy5CZS1CJMMtA851sEFqfwCkpuAUu/Dwqsbl3BU/yswHmpGWg==",
        json: """
            "words"
            """
    )

    static let address = Sealed(
        bytes: """
            AdHZbwNCTFwj12tUVman6A754lzUfDbqfHAZxntNbox3T7YWi8fu2adSPGKFjSVlexlny5L5sU5ZE2378Hc3XkWO\
            gD8UV+Uq+uS4M9ZS7gEAn/nOnvQUeAPiPeYzAb4tFXuCxZ4nP4qP/yPojQpK2FgrRsxdW30=
            """,
        json: """
            {"address":"https://h.example/a?sig=1","version":{"byteCount":9,"validator":"\\"v1\\""}}
            """
    )

    static let answer = Sealed(
        bytes: """
            AbGbLNuG9TZaAAa1EEx8UPvXg7+lxpLVNHsiKQDEbYff/Kr26LoiAl7k4VFe+4xcBbitrOR0BkOyhEfc7QygUjz1\
            GwVavE8G3dnq
            """,
        json: """
            {"isOfWhole":true,"spellings":["200","0200"]}
            """
    )

    static let parts = Sealed(
        bytes: """
            AbmbqeWka8Sj0Gxx+yzao7jm99nbtDrYWNZhFwBLf1nUIDK+i9mSeopoQ5dPI7f6lXmXFJX8j3jMXCoLLca8ldh3\
            QXaa9YtH3CVL9jvIR3TC7dokBluca0GX2tW95kwGCl7/1KnLea5x9WPyypAlJnKOSGAjzRgDEcoN93nXP07KFHfg\
            hFovXOpXiA==
            """,
        json: """
            [{"name":"TOKEN","text":"t"},{"content_type":"image/jpeg","filename":"f.jpg","image":"ca\
            rd-1","name":"IMG"}]
            """
    )

    static let reading = Sealed(
        bytes: """
            AasPBfSPvCicG4EK53iw0KWnHJu4BPFUvyFFd3Lh0nIPR7VZNg2XJl8KkATy9Au5C2lzsdIQ5d+tedBGujuHdtgR\
            zOSXelybg8Vdb5asW1OI7KRd1PeQ3A3sI7O43wr3OSkUnlsNTiL5Si592Hnmr1gFGImL74DWe/SoUsPWTykF1Ul0\
            /UzK7B6Q8XAXn5q8++R+dGE4JPepSXQKk4WXXSUfJR067TBkPuKbreZIJM5h2io//gT52z62TEtv8udz9Mjmz3er\
            k1sR78XhaOihlEKwHFLJ/TbHBkJUeMXsifWPbWDIjnklU5GJqFRxqGeT3bb/caHjgrCpnStIUxBhXwGG9RxPQHCh\
            wH1e7gJx3jID15fOejFc1JxqVTZuVnb8OvM21+NpSn1wT6rwmTobugJN/BLX7pNhzNF9DjrflnFFJ7RqBNPBbIkW\
            zE/iMXYcZct8Q4649aPwUlava8G5LCM7e+nn2f7waOcXmT8Qe5IWCgRa05AVA8Rm+2SozSZyA4QOD5JjsLqldXhk\
            a3Zuehj845uAQosqEJY4V8X2rQr66hoLSZ2Vkneg3I12Ejw4EgiMykfbayzPuOh7Jbwf+wJuw+Cb+2UlGYg+Ng83\
            ls9wOjlq49e1jfH75YobFO6HJSvKAQRmRcGMc2//8PK59p+EnQ==
            """,
        json: """
            {"image":{"bytes":"CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk="},"reading":{"fields":{"\
            address":"SPECIMEN 1","birthDate":"1949-12-31","ethnicity":"汉","gender":"女","issuer":"SP\
            ECIMEN","name":"SPECIMEN","number":"11010519491231002X","validity":"2010.11.13-长期"},"isA\
            bnormal":true,"legality":{"scores":{"ID Photo":0.75,"Photocopy":0.25},"vendorThreshold":\
            0.5},"others":[{"fields":{},"isAbnormal":false,"others":[],"side":"back"}],"requestID":"\
            r-1","side":"front"}}
            """
    )

    static let fingerprints = [
        ("source", "QeQ8/u4qC6sEAkRSgaZSM6ZG6pDCRfqh/hXeL0EYloQ="),
        ("prepared", "20WzS2o/aUjyDaJQTalPCW5E3BlL45gVYSGyNtn7sZw="),
        ("place", "2bDSA0C9smPapnjU8qaBwarzNa+8wdGUOSo3nD2zyZc="),
        ("holder", "rgh/oIYdkIrogZ9YkVwzBJdABpbQ7InqVkh1daJTyrE="),
        ("receipt", "9qfZ+9s7K2z5QxL6ggpDWk5TTG5wTfDjbahoWyqIQ4Q="),
        ("terms", "JydS0ha/RVWx7gsCIpqiZbEvhdhIv5rWUI5gdpYfPnY="),
    ]
}
