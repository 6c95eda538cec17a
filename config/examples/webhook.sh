#!/usr/bin/env bash
# Sends the photo of a card as a signed webhook (Standard Webhooks 1.0.0) with curl and openssl.
#
#     WEBHOOK_SECRET=whsec_… webhook.sh URL BUSINESS_NO PHOTO
#
# URL is that of serve, with /v1/webhooks/cards. BUSINESS_NO must need no escape in JSON. Prints the answer. Exit status: 0 the
# card is durable, 1 it was refused, 75 there was no answer that says so: run it again.
set -euo pipefail
url=$1 business_no=$2 photo=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

image=$(base64 -w 0 "$photo")
printf '{"type": "card.created", "timestamp": "%s", "data": {"business_no": "%s", "image_base64": "%s"}}' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$business_no" "$image" >"$folder/body"
id=msg_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
now=$(date +%s)

# HMAC (RFC 2104) of a key of at most 64 bytes. openssl takes a key only as an argument, which all users of the machine can read.
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
[ ${#key} -le 128 ] || { echo "webhook: WEBHOOK_SECRET is longer than 64 bytes" >&2; exit 64; }
padded() {
    local bytes='' index
    for ((index = 0; index < 128; index += 2)); do
        printf -v bytes '%s\\x%02x' "$bytes" $((16#0${key:index:2} ^ $1))
    done
    printf "$bytes"
}
digest() { openssl dgst -sha256 -binary; }
signature=$({ padded 0x5c; { padded 0x36; printf '%s.%s.' "$id" "$now"; cat "$folder/body"; } | digest; } | digest | base64)

# The same message is repeated, and counts once.
status=$(curl --silent --show-error --max-time 60 --retry 3 --retry-all-errors --output "$folder/answer" --write-out '%{http_code}' \
    --header 'content-type: application/json' --header "webhook-id: $id" --header "webhook-timestamp: $now" \
    --header "webhook-signature: v1,$signature" --data-binary "@$folder/body" "$url") || true
cat "$folder/answer" 2>/dev/null && echo
case $status in
    202) exit 0 ;;
    000 | 408 | 429 | 5??) exit 75 ;;
    *) exit 1 ;;
esac
