"""What schemathesis cannot make up by itself: photos of cards. Loaded by it (SCHEMATHESIS_HOOKS)."""

import schemathesis
from hypothesis import strategies

from proofs.cards import encoded

for kind, media_types in {"JPEG": ("image/jpeg", "application/octet-stream"), "PNG": ("image/png",)}.items():
    # Of a few cards, so that some come twice.
    photos = [encoded(number, is_back, kind) for number in range(6) for is_back in (False, True)]
    for media_type in media_types:
        schemathesis.openapi.media_type(media_type, strategies.sampled_from(photos))


def becomes_text(value):
    """Whether something that is no text is written as one, or not at all."""
    if isinstance(value, list):
        return sum(isinstance(item, (str, bytes, int, float)) for item in value) < 2
    return not isinstance(value, (str, bytes))


@schemathesis.hook
def filter_case(context, case):
    """Leaves out forms that are said to be invalid and are not, as they are written.

    The photo is put in after a form was to become invalid for lack of it. And a form holds nothing but texts: what became
    anything else is a part like any other, or none. Only an array of several shows: the service refuses parts of one name.
    """
    if case.media_type != "multipart/form-data":
        return True
    words = getattr(case.meta.phase.data if case.meta else None, "description", None) or ""
    form = getattr(case.body, "body", case.body)
    if not isinstance(form, dict):
        return True
    lacks = "violates `required`" in words and "image" in form
    retyped = "violates `type`" in words and any(becomes_text(value) for value in form.values())
    return not (lacks or retyped)
