"""What servers make of the schema of a reply: they obey, refuse or ignore it, or only half obey."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal

import fastjsonschema

SchemaWay = Literal[
    "enforces",
    "ignores",
    "refuses 400",
    "refuses 404",
    "refuses 422",
    "stops inside",
    "thinks first",
    "thinks and answers",
    "fences",
]
REFUSALS: Mapping[str, int] = {"refuses 400": 400, "refuses 404": 404, "refuses 422": 422}

Choice = dict[str, Any]


def schema_of(body: Mapping[str, Any]) -> Any:
    """The schema that a request wants its reply held to, None without one."""
    return (body.get("response_format") or {}).get("json_schema", {}).get("schema")


def shape_choice(way: SchemaWay, choice: Choice, schema: Any) -> Choice:
    """An answer as such a server gives it."""
    if way == "ignores":
        return choice
    said = hold_to(schema, choice["message"]["content"])
    message: dict[str, Any] = {"role": "assistant", "content": said}
    finish = "stop"
    if way == "stops inside":
        message["content"], finish = said[: len(said) // 2], "length"
    elif way == "thinks first":
        message = {"role": "assistant", "content": "", "reasoning_content": f"Well: {said}"}
    elif way == "thinks and answers":
        message["reasoning_content"] = "Well, let me see."
    elif way == "fences":
        message["content"] = f"```json\n{said}\n```"
    return {**choice, "message": message, "finish_reason": finish}


@lru_cache
def _check(schema: str) -> Callable[[Any], Any]:
    """Raises `JsonSchemaException` for what is not of a schema; compiled once."""
    check: Callable[[Any], Any] = fastjsonschema.compile(json.loads(schema))
    return check


def hold_to(schema: Any, text: str) -> str:
    """The text where it has the shape, else the first thing that has."""
    try:
        _check(json.dumps(schema))(json.loads(text))
    except (ValueError, fastjsonschema.JsonSchemaException):
        return json.dumps(make_example(schema))
    return text


def make_example(schema: Any) -> Any:
    """The first thing of a shape."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {key: make_example(one) for key, one in schema["properties"].items()}
    if kind == "array":
        return [make_example(schema["items"])] * schema.get("minItems", 1)
    return {"string": "so", "integer": 1, "boolean": True}[kind]


def say_in_json(schema: Any, text: str) -> str:
    """What a stage of building is told as text, as JSON of its shape; the text where it is none."""
    first, _, rest = text.strip().partition("\n")
    rejected = first == "REJECT"
    tags = re.fullmatch(r"<reverse>(.*)</reverse>\s*<subject>(.*)</subject>", text.strip(), re.S)
    marks = re.findall(r"\{\{\{([^{}]+?); (\w+)\}\}\}", text)
    asked = tags[1] if tags else text.strip()
    if "entities" in schema["properties"] and " " not in text.strip():
        return text
    values: dict[str, Any] = {
        "name": first,
        "verdict": "NO" if first == "NOT" else first,
        "reason": rest,
        "rejected": rejected,
        "question": "" if rejected else asked,
        "subject": tags[2] if tags else "",
        "names": re.findall(r"\{\{\{([^{}]+)\}\}\}", text),
        "entities": [{"text": one, "type": kind} for one, kind in marks],
        "options": text.strip().split("\n"),
    }
    said = json.dumps({key: values.get(key) for key in schema["properties"]})
    try:
        _check(json.dumps(schema))(json.loads(said))
    except fastjsonschema.JsonSchemaException:
        return text
    return said
