#!/usr/bin/env bash
# Sends the photo of a card as a signed webhook (Standard Webhooks 1.0.0) with curl and openssl.
#
#     WEBHOOK_SECRET=whsec_… webhook.sh URL BUSINESS_NO PHOTO
#
# URL is that of serve, with /v1/webhooks/cards. Prints the answer. BUSINESS_NO must need no escape in JSON.
set -euo pipefail
url=$1 business_no=$2 photo=$3
id=msg_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
now=$(date +%s)
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
    printf '{"type": "card.created", "timestamp": "%s", ' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    printf '"data": {"business_no": "%s", "image_base64": "%s"}}' "$business_no" "$(base64 -w 0 "$photo")"
} >"$body"
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
signature=$({ printf '%s.%s.' "$id" "$now"; cat "$body"; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
# curl repeats what got no answer, 429 or 5xx: the same message, which counts once.
curl --silent --show-error --fail-with-body --retry 3 --retry-connrefused \
    --header 'content-type: application/json' --header "webhook-id: $id" --header "webhook-timestamp: $now" \
    --header "webhook-signature: v1,$signature" --data-binary "@$body" "$url"
echo
