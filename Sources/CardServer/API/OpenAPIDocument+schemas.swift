import CardModel

extension OpenAPIDocument {
    private static let text: JSONNode = ["type": "string"]
    private static let time: JSONNode = ["type": "string", "format": "date-time"]
    private static let count: JSONNode = ["type": "integer", "minimum": 0]
    private static let why: JSONNode = [
        "type": ["string", "null"], "maxLength": .number(Limits.purposeCharacters),
    ]

    private static func object(_ properties: [String: JSONNode], required: [String], isOpen: Bool = false) -> JSONNode {
        var node: [String: JSONNode] = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { node["required"] = .strings(required.sorted()) }
        if !isOpen { node["additionalProperties"] = false }
        return .object(node)
    }

    private static func texts(_ names: [String]) -> [String: JSONNode] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, self.text) })
    }

    private static let problemNames: [String] = {
        let codes = APIOperation.all.flatMap(\.allProblems) + [.notFound, .methodNotAllowed]
        return Set(codes.map(\.name)).sorted()
    }()

    /// What bodies hold, by name.
    static let schemas: [String: JSONNode] = [
        "Problem": Self.object(
            [
                "type": Self.text, "title": Self.text, "status": ["type": "integer"],
                "code": ["enum": .strings(Self.problemNames)],
                "detail": Self.text, "request_id": Self.text,
            ],
            required: ["type", "title", "status", "code", "request_id"],
            isOpen: true
        ),
        "CardState": ["type": "string", "enum": .strings(CardState.allCases.map(\.rawValue))],
        "CardSide": ["type": "string", "enum": .strings(CardSide.allCases.map(\.rawValue))],
        "Reception": Self.object(
            ["card_id": Self.text, "state": .reference("CardState"), "duplicate": ["type": "boolean"]],
            required: ["card_id", "state", "duplicate"]
        ),
        "Card": Self.object(
            [
                "card_id": Self.text, "business_no": Self.text, "side": .optional(.reference("CardSide")),
                "state": .reference("CardState"), "reason": .optional(Self.text), "created_at": Self.time,
                "changed_at": Self.time,
            ],
            required: ["card_id", "business_no", "side", "state", "reason", "created_at", "changed_at"]
        ),
        "CardPage": Self.object(
            ["cards": ["type": "array", "items": .reference("Card")], "next_cursor": .optional(Self.text)],
            required: ["cards", "next_cursor"]
        ),
        "ChangedCards": Self.object(["cards": ["type": "array", "items": .reference("Card")]], required: ["cards"]),
        "CardEvent": Self.object(
            [
                "at": Self.time, "kind": Self.text, "state": .optional(.reference("CardState")),
                "code": .optional(Self.text),
            ],
            required: ["at", "kind", "state", "code"]
        ),
        "CardFields": Self.object(
            Self.texts([
                "name", "gender", "race", "birthday", "address", "id_card_number", "issued_by", "valid_date",
            ]),
            required: []
        ),
        "CardDetails": Self.object(
            [
                "card": .reference("Card"), "message": .optional(Self.text), "attempts": Self.count,
                "priority": ["type": "integer"], "image_bytes": .optional(Self.count),
                "legality": .optional(["type": "object", "additionalProperties": ["type": "number"]]),
                "fields": .optional(.reference("CardFields")),
                "events": ["type": "array", "items": .reference("CardEvent")],
            ],
            required: [
                "card", "message", "attempts", "priority", "image_bytes", "legality", "fields", "events",
            ]
        ),
        "Run": Self.object(
            [
                "run_id": Self.text, "source": Self.text,
                "state": ["enum": .strings(RunStatus.State.allCases.map(\.rawValue))], "reason": .optional(Self.text),
                "counts": ["type": "object", "additionalProperties": Self.count],
                "refusals": [
                    "type": "object", "additionalProperties": Self.count,
                ],
                "started_at": Self.time, "ended_at": .optional(Self.time),
            ],
            required: ["run_id", "source", "state", "reason", "counts", "refusals", "started_at", "ended_at"]
        ),
        "RunList": Self.object(["runs": ["type": "array", "items": .reference("Run")]], required: ["runs"]),
        "RunRequest": Self.object(
            ["source": ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"]],
            required: ["source"]
        ),
        "Why": Self.object(["why": Self.why], required: []),
        "Decision": Self.object(
            [
                "as": ["enum": .strings(Resolution.allCases.map(\.rawValue))],
                "why": Self.why,
            ],
            required: ["as"]
        ),
        "Alive": Self.object(["status": ["const": "alive"]], required: ["status"]),
        "Readiness": Self.readiness,
        "SubmissionForm": Self.object(
            Self.submission.merging(["image": [:], "side": .sideText, "priority": .priorityText]) { $1 },
            required: ["image", "business_no"]
        ),
        "WebhookMessage": Self.webhook,
    ]

    private static let submission: [String: JSONNode] = [
        "business_no": .businessNumber,
        "user_no": .printedText,
        "expected_id_number": .printedText,
        "expected_name": .printedText,
        "side": .reference("CardSide"),
        "priority": .priority,
    ]

    private static let webhook: JSONNode = {
        let image: [String: JSONNode] = [
            "image_url": ["type": "string", "format": "uri"],
            "image_base64": ["type": "string", "contentEncoding": "base64"],
        ]
        var data: [String: JSONNode] = [
            "oneOf": [["required": ["image_url"]], ["required": ["image_base64"]]],
            "type": "object", "properties": .object(Self.submission.merging(image) { old, _ in old }),
        ]
        data["required"] = ["business_no"]
        data["additionalProperties"] = false
        return Self.object(
            ["type": Self.text, "timestamp": Self.text, "data": .object(data)],
            required: ["data"],
            isOpen: true
        )
    }()

    private static let readiness: JSONNode = {
        let reason = Self.object(["code": Self.text, "message": Self.text], required: ["code", "message"])
        let stage = Self.object(
            [
                "status": ["enum": ["working", "paused"]], "code": .optional(Self.text), "since": .optional(Self.time),
                "message": .optional(Self.text),
            ],
            required: ["status", "code", "message", "since"]
        )
        return Self.object(
            [
                "status": ["enum": ["ready", "not_ready"]], "reasons": ["type": "array", "items": reason],
                "stages": ["type": "object", "additionalProperties": stage],
            ],
            required: ["status", "reasons", "stages"]
        )
    }()
}

extension JSONNode {
    /// What may also be `null`.
    static func optional(_ node: JSONNode) -> JSONNode { ["anyOf": [node, ["type": "null"]]] }

    /// A text without control characters.
    static let printedText: JSONNode = [
        "type": "string", "maxLength": .number(128),
        "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
    ]

    /// A business number: a text that is not blank, without control and format characters.
    static let businessNumber: JSONNode = [
        "type": "string", "minLength": 1, "maxLength": .number(BusinessNumber.maximumLength),
        "pattern": .string("^[^\(Self.invisible)]*[^\\s\(Self.invisible)][^\(Self.invisible)]*$"),
    ]

    /// Control and format characters, and separators of lines and paragraphs, as in a class of a pattern.
    private static let invisible =
        "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f"
        + "\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb\u{110BD}\u{110CD}\u{13430}-\u{1343F}"
        + "\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0001}\u{E0020}-\u{E007F}"

    /// A priority.
    static let priority: JSONNode = [
        "type": "integer", "minimum": -1_000_000,
        "maximum": 1_000_000,
    ]
}
