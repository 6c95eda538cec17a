"""What schemathesis cannot make up by itself: photos of cards. Loaded by it (SCHEMATHESIS_HOOKS)."""

import io

import schemathesis
from hypothesis import strategies

from proofs.cards import draw, jpeg

NUMBERS = range(6)


def png(number, is_back):
    data = io.BytesIO()
    draw(number, is_back).save(data, "PNG")
    return data.getvalue()


def photos(maker):
    """Photos of a few cards, so that some come twice."""
    return strategies.sampled_from([maker(number, is_back) for number in NUMBERS for is_back in (False, True)])


schemathesis.openapi.media_type("image/jpeg", photos(jpeg))
schemathesis.openapi.media_type("image/png", photos(png))
schemathesis.openapi.media_type("application/octet-stream", photos(jpeg))


def becomes_text(value):
    """Whether something that is no text is written as one, or not at all."""
    if isinstance(value, list):
        return sum(isinstance(item, (str, bytes, int, float)) for item in value) < 2
    return not isinstance(value, (str, bytes))


@schemathesis.hook
def filter_case(context, case):
    """Leaves out forms that are said to be invalid and are not, as they are written.

    The photo is put in after a form was to become invalid for lack of it. And a form holds nothing but texts: of what became
    anything else there is a part that is as good as any other text, or no part at all. Only an array of several shows: they are
    parts of the same name, which the service refuses.
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
