import CardModel
import HTTPTypes

/// What the OpenAPI document says of operations, beside how they are refused: ``OpenAPIDocument`` adds that.
enum OpenAPIText {
    /// The header field that carries a field of a submission with a raw body.
    private static func header(_ field: SubmittedField, _ schema: String) -> String {
        #"""
        {"name": "\#(field.headerName.rawName)", "in": "header",
         "description": "`\#(field.rawValue)`, unless a form says it; UTF-8 with percent-encoding.",
         "schema": {"$ref": "#/components/schemas/\#(schema)"}}
        """#
    }

    /// Control and format characters, as a class of a pattern writes them.
    private static let control =
        #"\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e"#
        + #"\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb"#

    /// A character of a header field in UTF-8 with percent-encoding, as a pattern writes it.
    private static let encoded =
        #"([ -$&-~]|%[2-6][0-9A-Fa-f]|%7[0-9A-Ea-e]"#
        + #"|%([Cc][3-9A-Fa-f]|[Dd][0-9A-Fa-f])%[89ABab][0-9A-Fa-f]|%[Ee][1-9ABab](%[89ABab][0-9A-Fa-f]){2})"#

    /// Every path with its methods.
    static let paths = #"""
        {
          "/v1/cards": {"get": {"operationId": "listCards", "summary": "List cards in the order of their intake.",
            "parameters": [{"name": "state", "in": "query", "description": "Only cards in these states.",
              "schema": {"type": "array", "items": {"$ref": "#/components/schemas/CardState"}}},
             {"name": "business_no", "in": "query", "description": "Only cards of this business number.",
              "schema": {"$ref": "#/components/schemas/BusinessNumber"}},
             {"name": "limit", "in": "query", "description": "The most cards of a page.",
              "schema": {"type": "integer", "default": 100, "maximum": 1000, "minimum": 1}},
             {"name": "cursor", "in": "query", "description": "`next_cursor` of the page before.",
              "schema": {"type": "string", "pattern": "^i[0-9]{1,18}$"}}],
            "responses": {"200": {"description": "A page.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CardPage"}}}}}},
           "post": {"operationId": "submitCard", "summary": "Send in the photo of a card.",
            "parameters": [{"name": "Idempotency-Key", "in": "header",
              "description": "A Structured Field String; the same for every attempt of one submission.",
              "schema": {"type": "string",
               "pattern": "^(\"([ !#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\"|[!#-+\\--:<-\\[\\]-~]{1,255})$"}},
             \#(header(.businessNumber, "EncodedNumber")), \#(header(.userNumber, "EncodedText")),
             \#(header(.side, "SideText")), \#(header(.priority, "PriorityText")),
             \#(header(.expectedIDNumber, "EncodedText")), \#(header(.expectedName, "EncodedText"))],
            "requestBody": {"required": true,
             "content": {"application/octet-stream": {"schema": {}}, "binary/octet-stream": {"schema": {}},
              "image/*": {"schema": {}}, "image/jpeg": {"schema": {}}, "image/png": {"schema": {}},
              "multipart/form-data": {"encoding": {"image": {"contentType": "image/jpeg, image/png"}},
               "schema": {"$ref": "#/components/schemas/SubmissionForm"}}}},
            "responses": {"202": {"$ref": "#/components/responses/received"}}}},
          "/v1/cards/{card_id}": {"get": {"operationId": "showCard",
            "summary": "Show a card; `fields` and `message` only with reveal=true and the scope operate, which \#
        the access log tells.",
            "parameters": [{"$ref": "#/components/parameters/cardID"},
             {"name": "reveal", "in": "query",
              "description": "Whether to show what is personal: `fields`, and `message`, which may quote remote \#
        sides.",
              "schema": {"type": "boolean", "default": false}},
             {"$ref": "#/components/parameters/why"}],
            "responses": {"200": {"description": "The card.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CardDetails"}}}}}},
           "delete": {"operationId": "eraseCard", "summary": "Erase a card for good.",
            "parameters": [{"$ref": "#/components/parameters/cardID"}, {"$ref": "#/components/parameters/why"},
             {"name": "Card-Reason", "in": "header", "description": "Why, as a code.",
              "schema": {"type": "string", "pattern": "^[A-Za-z0-9_]{1,40}$"}}],
            "responses": {"200": {"description": "The certificate.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Certificate"}}}}}}},
          "/v1/cards/{card_id}/retry": {"post": {"operationId": "retryCard", "summary": "Have a rejected or \#
        failed card done again.",
            "parameters": [{"$ref": "#/components/parameters/cardID"}],
            "requestBody": {"required": false,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Why"}}}},
            "responses": {"200": {"description": "What changed.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ChangedCards"}}}}}}},
          "/v1/cards/{card_id}/resolve": {"post": {"operationId": "resolveCard", "summary": "Decide what becomes \#
        of a held card.",
            "parameters": [{"$ref": "#/components/parameters/cardID"}],
            "requestBody": {"required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Decision"}}}},
            "responses": {"200": {"description": "What changed.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ChangedCards"}}}}}}},
          "/v1/webhooks/cards": {"post": {"operationId": "receiveWebhook",
            "summary": "Take in a signed message (Standard Webhooks 1.0.0) that names an image or carries it.",
            "parameters": [{"name": "webhook-id", "in": "header", "required": true,
              "description": "The name of the message, without a dot.",
              "schema": {"type": "string", "maxLength": 256, "minLength": 1, "pattern": "^[!-,\\-/-~]+$"}},
             {"name": "webhook-timestamp", "in": "header", "required": true,
              "description": "Seconds since 1970.", "schema": {"type": "string", "pattern": "^[0-9]{1,12}$"}},
             {"name": "webhook-signature", "in": "header", "required": true,
              "description": "`v1,` and the Base64 of HMAC-SHA256 over id, timestamp and body, joined by dots.",
              "schema": {"type": "string"}}],
            "requestBody": {"required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WebhookMessage"}}}},
            "responses": {"202": {"$ref": "#/components/responses/received"}}}},
          "/v1/runs": {"get": {"operationId": "listRuns", "summary": "List the runs that are known, the newest \#
        first.",
            "responses": {"200": {"description": "The runs.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RunList"}}}}}},
           "post": {"operationId": "startRun", "summary": "Start a batch over a source of the configuration.",
            "requestBody": {"required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RunRequest"}}}},
            "responses": {"202": {"description": "The run, or the one of this source that goes on.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}},
              "headers": {"Location": {"description": "The path of the run.", "schema": {"type": "string"}}}}}}},
          "/v1/runs/{run_id}": {"get": {"operationId": "showRun", "summary": "Show a run.",
            "parameters": [{"name": "run_id", "in": "path", "required": true, "description": "The id of a run.",
              "schema": {"type": "string", "maxLength": 64, "minLength": 1}}],
            "responses": {"200": {"description": "The run.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}}}}}},
          "/healthz": {"get": {"operationId": "live", "summary": "Whether the process lives.",
            "responses": {"200": {"description": "It does.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Alive"}}}}}}},
          "/readyz": {"get": {"operationId": "ready", "summary": "Whether work goes on, and if not, why.",
            "responses": {"200": {"description": "It does.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}}}},
             "503": {"description": "Something has stopped, or nothing more is taken in.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}}}}}}},
          "/metrics": {"get": {"operationId": "metrics", "summary": "The figures of the process, as Prometheus \#
        reads them.",
            "responses": {"200": {"description": "The figures.", "content": {"text/plain": {"schema": {"type":
             "string"}}}}}}},
          "/openapi.json": {"get": {"operationId": "openapi", "summary": "This document.",
            "responses": {"200": {"description": "An OpenAPI 3.1 document.",
              "content": {"application/json": {"schema": {"type": "object"}}}}}}}}
        """#

    /// What bodies hold, by name.
    static let schemas = #"""
        {
          "Alive": {"type": "object", "required": ["status"], "additionalProperties": false,
           "properties": {"status": {"const": "alive"}}},
          "Card": {"type": "object",
           "required": ["business_no", "card_id", "changed_at", "created_at", "reason", "side", "state"],
           "additionalProperties": false,
           "properties": {"business_no": {"type": "string"}, "card_id": {"type": "string"},
            "changed_at": {"type": "string", "format": "date-time"},
            "created_at": {"type": "string", "format": "date-time"},
            "reason": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "side": {"anyOf": [{"$ref": "#/components/schemas/CardSide"}, {"type": "null"}]},
            "state": {"$ref": "#/components/schemas/CardState"}}},
          "CardDetails": {"type": "object",
           "required": ["attempts", "card", "events", "fields", "image_bytes", "legality", "message", "priority"],
           "additionalProperties": false,
           "properties": {"attempts": {"type": "integer", "minimum": 0}, "card": {"$ref":
            "#/components/schemas/Card"},
            "events": {"type": "array", "items": {"$ref": "#/components/schemas/CardEvent"}},
            "fields": {"anyOf": [{"$ref": "#/components/schemas/CardFields"}, {"type": "null"}]},
            "image_bytes": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
            "legality": {"anyOf": [{"type": "object", "additionalProperties": {"type": "number"}}, {"type":
             "null"}]},
            "message": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "priority": {"type": "integer"}}},
          "CardEvent": {"type": "object", "required": ["at", "code", "kind", "state"], "additionalProperties":
           false,
           "properties": {"at": {"type": "string", "format": "date-time"},
            "code": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "kind": {"type": "string"},
            "state": {"anyOf": [{"$ref": "#/components/schemas/CardState"}, {"type": "null"}]}}},
          "CardFields": {"type": "object", "additionalProperties": false,
           "properties": {"address": {"type": "string"}, "birthday": {"type": "string"}, "gender": {"type":
            "string"},
            "id_card_number": {"type": "string"}, "issued_by": {"type": "string"}, "name": {"type": "string"},
            "race": {"type": "string"}, "valid_date": {"type": "string"}}},
          "CardPage": {"type": "object", "required": ["cards", "next_cursor"], "additionalProperties": false,
           "properties": {"cards": {"type": "array", "items": {"$ref": "#/components/schemas/Card"}},
            "next_cursor": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
          "CardSide": {"type": "string", "enum": ["front", "back"]},
          "CardState": {"type": "string",
           "enum": ["fetching", "received", "prepared", "verified", "delivering", "delivered", "rejected", "failed",
            "held", "superseded", "erased"]},
          "Certificate": {"type": "object",
           "required": ["card_id", "erased_at", "reason", "actor", "purpose", "verifier", "backend", "scrubbed"],
           "additionalProperties": false,
           "properties": {"card_id": {"type": "string"},
            "erased_at": {"type": "string", "format": "date-time"}, "reason": {"type": "string"},
            "actor": {"type": "string"}, "purpose": {"type": "string"},
            "source_files": {"type": "integer", "minimum": 0}, "verifier": {"type": "string"},
            "backend": {"type": "string"}, "deliveries": {"type": "array", "items": {"type": "string"}},
            "exports": {"type": "integer", "minimum": 0}, "embedded_documents": {"type": "string"},
            "access_number": {"type": "integer", "minimum": 0}, "access_mac": {"type": "string"},
            "scrubbed": {"type": "boolean"}}},
          "ChangedCards": {"type": "object", "required": ["cards"], "additionalProperties": false,
           "properties": {"cards": {"type": "array", "items": {"$ref": "#/components/schemas/Card"}}}},
          "Decision": {"type": "object", "required": ["as"], "additionalProperties": false,
           "properties": {"as": {"enum": ["delivered", "resend", "accept", "reject", "seen"]},
            "why": {"type": ["string", "null"], "maxLength": 200}}},
          "Problem": {"type": "object", "required": ["code", "request_id", "status", "title", "type"],
           "properties": {"code": {}, "detail": {"type": "string"}, "request_id": {"type": "string"},
            "status": {"type": "integer"}, "title": {"type": "string"}, "type": {"type": "string"}}},
          "Readiness": {"type": "object", "required": ["reasons", "stages", "status"], "additionalProperties":
           false,
           "properties": {"reasons": {"type": "array",
             "items": {"type": "object", "required": ["code", "message"], "additionalProperties": false,
              "properties": {"code": {"type": "string"}, "message": {"type": "string"}}}},
            "stages": {"type": "object",
             "additionalProperties": {"type": "object", "required": ["code", "message", "since", "status"],
              "additionalProperties": false,
              "properties": {"code": {"anyOf": [{"type": "string"}, {"type": "null"}]},
               "message": {"anyOf": [{"type": "string"}, {"type": "null"}]},
               "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
               "status": {"enum": ["working", "paused"]}}}},
            "status": {"enum": ["ready", "not_ready"]}}},
          "Reception": {"type": "object", "required": ["card_id", "duplicate", "state"], "additionalProperties":
           false,
           "properties": {"card_id": {"type": "string"}, "duplicate": {"type": "boolean"},
            "state": {"$ref": "#/components/schemas/CardState"}}},
          "Run": {"type": "object",
           "required": ["counts", "ended_at", "reason", "refusals", "run_id", "source", "started_at", "state"],
           "additionalProperties": false,
           "properties": {"counts": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
            "ended_at": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
            "reason": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "refusals": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
            "run_id": {"type": "string"}, "source": {"type": "string"},
            "started_at": {"type": "string", "format": "date-time"},
            "state": {"enum": ["running", "complete", "failed"]}}},
          "RunList": {"type": "object", "required": ["runs"], "additionalProperties": false,
           "properties": {"runs": {"type": "array", "items": {"$ref": "#/components/schemas/Run"}}}},
          "RunRequest": {"type": "object", "required": ["source"], "additionalProperties": false,
           "properties": {"source": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}}},
          "SubmissionForm": {"type": "object", "required": ["business_no", "image"], "additionalProperties": false,
           "properties": {"business_no": {"$ref": "#/components/schemas/BusinessNumber"},
            "expected_id_number": {"$ref": "#/components/schemas/PrintedText"},
            "expected_name": {"$ref": "#/components/schemas/PrintedText"}, "image": {},
            "priority": {"$ref": "#/components/schemas/PriorityText"},
            "side": {"$ref": "#/components/schemas/SideText"},
            "user_no": {"$ref": "#/components/schemas/PrintedText"}}},
          "WebhookMessage": {"type": "object", "required": ["data"],
           "properties": {"data": {"type": "object", "required": ["business_no"], "additionalProperties": false,
             "oneOf": [{"required": ["image_url"]}, {"required": ["image_base64"]}],
             "properties": {"business_no": {"$ref": "#/components/schemas/BusinessNumber"},
              "expected_id_number": {"$ref": "#/components/schemas/PrintedText"},
              "expected_name": {"$ref": "#/components/schemas/PrintedText"},
              "image_base64": {"type": "string", "contentEncoding": "base64"},
              "image_url": {"type": "string", "format": "uri"},
              "priority": {"type": "integer", "maximum": 1000000, "minimum": -1000000},
              "side": {"$ref": "#/components/schemas/CardSide"},
              "user_no": {"$ref": "#/components/schemas/PrintedText"}}},
            "timestamp": {"type": "string"}, "type": {"type": "string"}}},
          "Why": {"type": "object", "additionalProperties": false,
           "properties": {"why": {"type": ["string", "null"], "maxLength": 200}}},
          "BusinessNumber": {"type": "string", "maxLength": 64, "minLength": 1,
           "pattern": "^(?!\\s*(=|'|\".*\"\\s*$|#.*[!?]\\s*$|#+\\s*$))[^\#(control)]*[^\\s\#(control)][^\#(control)]*$"},
          "PrintedText": {"type": "string", "maxLength": 256, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"},
          "EncodedNumber": {"type": "string", "pattern": "^\#(encoded){0,64}$"},
          "EncodedText": {"type": "string", "pattern": "^\#(encoded){0,256}$"},
          "PriorityText": {"anyOf": [{"type": "integer", "maximum": 1000000, "minimum": -1000000}, {"type":
           "string", "pattern": "^\\s*([+-]?0*[0-9]{1,7})?\\s*$"}]},
          "SideText": {"type": "string", "pattern": "^\\s*([Ff][Rr][Oo][Nn][Tt]|[Bb][Aa][Cc][Kk]|人像面|国徽面)?\\s*$"}}
        """#

    /// What several operations share.
    static let components = #"""
        {
          "parameters": {"cardID": {"name": "card_id", "in": "path", "required": true, "description": "The id of \#
        a card.",
            "schema": {"type": "string", "maxLength": 64, "minLength": 1}},
           "why": {"name": "Card-Why", "in": "header",
            "description": "Why, for the access log; UTF-8 with percent-encoding. Never the holder's name or \#
        number.",
            "schema": {"type": "string", "pattern": "^\#(encoded){0,200}$"}}},
          "responses": {"received": {"description": "The image is durable; what becomes of it, the card tells.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Reception"}}},
            "headers": {"Idempotent-Replayed": {"description": "`true` if this very request was answered \#
        before.", "schema": {"type": "string"}},
             "Location": {"description": "The path of the card.", "schema": {"type": "string"}}}}},
          "securitySchemes": {"token": {"scheme": "bearer", "type": "http"}}}
        """#
}
