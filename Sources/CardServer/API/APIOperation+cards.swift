import CardModel
import HTTPTypes

extension APIOperation {
    private static let cardID = Parameter(
        name: "card_id",
        place: "path",
        schema: ["type": "string", "minLength": 1, "maxLength": 64],
        isRequired: true,
        description: "The id of a card."
    )
    private static let why = Parameter(
        name: "Card-Why",
        place: "header",
        schema: .headerText(Limits.purposeCharacters),
        description: "Why, for the access log; UTF-8 with percent-encoding. Never the holder's name or number."
    )

    private static let intakeProblems: [ProblemCode] = [
        .queueFull, .diskSpaceLow, .imageEmpty, .imageTooLarge, .formatUnsupported, .formatHEIC,
        .imageMissing, .fieldUnknown, .fieldDuplicate, .fieldInvalid, .businessNumberMissing, .businessNumberInvalid,
        .userNumberMissing, .cardUnderway, .busy,
    ]
    private static let received = Answer(
        status: .accepted,
        description: "The image is durable; what becomes of it, the card tells.",
        content: .json("Reception"),
        headers: [
            "Location": "The path of the card.",
            "Idempotent-Replayed": "`true` if this very request was answered before.",
        ]
    )

    static let submitCard = APIOperation(
        id: "submitCard",
        method: .post,
        path: "/v1/cards",
        summary: "Send in the photo of a card.",
        access: .token(.submit),
        parameters: [
            Parameter(
                name: "Idempotency-Key",
                place: "header",
                schema: .idempotencyKey,
                description: "A Structured Field String; the same for every attempt of one submission."
            )
        ]
            + SubmittedField.allCases.map { field in
                Parameter(
                    name: field.headerName.rawName,
                    place: "header",
                    schema: .header(field),
                    description: "`\(field.rawValue)`, unless a form says it; UTF-8 with percent-encoding."
                )
            },
        bodies: [
            Content(
                mediaType: "multipart/form-data",
                schema: .reference("SubmissionForm"),
                encoding: ["image": ["contentType": "image/jpeg, image/png"]]
            )
        ]
            + SubmissionRoute.rawTypes.sorted().map { Content(mediaType: $0, schema: [:]) },
        answers: [Self.received],
        problems: Self.intakeProblems + [
            .formMalformed, .formTooLarge, .mediaTypeUnsupported, .keyMalformed, .keyInProgress, .keyReused,
        ]
    )

    static let receiveWebhook = APIOperation(
        id: "receiveWebhook",
        method: .post,
        path: "/v1/webhooks/cards",
        summary: "Take in a signed message (Standard Webhooks 1.0.0) that names an image or carries it.",
        access: .signature,
        parameters: [
            Parameter(
                name: "webhook-id",
                place: "header",
                schema: ["type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[!-,\\-/-~]+$"],
                isRequired: true,
                description: "The name of the message, without a dot."
            ),
            Parameter(
                name: "webhook-timestamp",
                place: "header",
                schema: ["type": "string", "pattern": "^[0-9]{1,12}$"],
                isRequired: true,
                description: "Seconds since 1970."
            ),
            Parameter(
                name: "webhook-signature",
                place: "header",
                schema: ["type": "string"],
                isRequired: true,
                description: "`v1,` and the Base64 of HMAC-SHA256 over id, timestamp and body, joined by dots."
            ),
        ],
        bodies: [.json("WebhookMessage")],
        answers: [Self.received],
        problems: Self.intakeProblems + [
            .jsonInvalid, .imageInvalid, .addressInvalid, .addressRefused, .webhookReused,
        ]
    )

    static let listCards = APIOperation(
        id: "listCards",
        method: .get,
        path: "/v1/cards",
        summary: "List cards in the order of their intake.",
        access: .token(.read),
        parameters: [
            Parameter(
                name: "state",
                place: "query",
                schema: ["type": "array", "items": .reference("CardState")],
                description: "Only cards in these states."
            ),
            Parameter(
                name: "business_no",
                place: "query",
                schema: .businessNumber,
                description: "Only cards of this business number."
            ),
            Parameter(
                name: "limit",
                place: "query",
                schema: [
                    "type": "integer", "minimum": 1, "maximum": .number(Limits.pageSize),
                    "default": .number(Limits.defaultPageSize),
                ],
                description: "The most cards of a page."
            ),
            Parameter(
                name: "cursor",
                place: "query",
                schema: ["type": "string", "pattern": .string(CardRoutes.cursorPattern)],
                description: "`next_cursor` of the page before."
            ),
        ],
        answers: [Answer(status: .ok, description: "A page.", content: .json("CardPage"))],
        problems: [.parameterInvalid]
    )

    static let showCard = APIOperation(
        id: "showCard",
        method: .get,
        path: "/v1/cards/{card_id}",
        summary:
            "Show a card; `fields` and `message` only with reveal=true and the scope operate, which the access log tells.",
        access: .token(.read),
        parameters: [
            Self.cardID,
            Parameter(
                name: "reveal",
                place: "query",
                schema: ["type": "boolean", "default": false],
                description: "Whether to show what is personal: `fields`, and `message`, which may quote remote sides."
            ),
            Self.why,
        ],
        answers: [Answer(status: .ok, description: "The card.", content: .json("CardDetails"))],
        problems: [.cardNotFound, .parameterInvalid, .fieldInvalid, .fieldDuplicate]
    )

    static let retryCard = APIOperation(
        id: "retryCard",
        method: .post,
        path: "/v1/cards/{card_id}/retry",
        summary: "Have a rejected or failed card done again.",
        access: .token(.operate),
        parameters: [Self.cardID],
        bodies: [.json("Why")],
        isBodyRequired: false,
        answers: [Answer(status: .ok, description: "What changed.", content: .json("ChangedCards"))],
        problems: [
            .cardNotFound, .changeRefused, .mediaTypeUnsupported, .jsonInvalid, .fieldUnknown, .fieldDuplicate,
            .fieldInvalid,
        ]
    )

    static let resolveCard = APIOperation(
        id: "resolveCard",
        method: .post,
        path: "/v1/cards/{card_id}/resolve",
        summary: "Decide what becomes of a held card.",
        access: .token(.operate),
        parameters: [Self.cardID],
        bodies: [.json("Decision")],
        answers: [Answer(status: .ok, description: "What changed.", content: .json("ChangedCards"))],
        problems: [
            .cardNotFound, .changeRefused, .mediaTypeUnsupported, .jsonInvalid, .fieldUnknown, .fieldDuplicate,
            .fieldInvalid,
        ]
    )
}
