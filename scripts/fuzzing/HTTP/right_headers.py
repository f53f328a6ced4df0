"""A hook of schemathesis: drops requests that it takes for right ones, and whose If-Match is none.

For a header whose pattern has quotes in it schemathesis finds no right value, and sends wrong ones in their place.
"""

import re

import schemathesis

TAG = re.compile(r'"[0-9]{1,18}(-[0-9a-f]+)?"')


@schemathesis.hook
def filter_case(context, case):
    tag = (case.headers or {}).get("If-Match")
    is_right = case.meta is not None and case.meta.generation.mode.is_positive
    return tag is None or not is_right or TAG.fullmatch(tag) is not None
