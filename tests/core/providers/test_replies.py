"""Whether a server holds replies to a schema is found by trial."""

from dataclasses import replace

import pytest

from core.errors import ProviderError
from core.project import OpenProject
from core.providers.base import Request, SchemaRefusedError
from core.providers.model_traits import read_traits
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import describe
from core.sampling.found_capabilities import capabilities_of
from core.sampling.preflight import preflight
from prompts import Message
from prompts.reply_shape import INNER, ReplyForm, ReplyShape
from tests.fakes.openai_schemas import SchemaWay
from tests.fakes.openai_server import FakeOpenAI

SHAPE = ReplyShape.parse({"type": "object", "properties": {"label": {"enum": ["yes", "no"]}}})
WAYS: dict[SchemaWay, ReplyForm] = {
    "enforces": "schema",
    "thinks and answers": "schema",
    "ignores": "text",
    "refuses 400": "text",
    "refuses 404": "text",
    "refuses 422": "text",
    "stops inside": "text",
    "thinks first": "text",
    "fences": "text",
}
TRIALS = 1


def asked(schema: ReplyShape | None = SHAPE) -> Request:
    messages = (Message("user", "Is it so?"),)
    return Request(1, 32, 0.0, 1.0, messages, schema=None if schema is None else schema.schema)


@pytest.mark.parametrize(("way", "form"), WAYS.items())
async def test_what_a_server_does_is_found_and_kept(
    fake: FakeOpenAI, project: OpenProject, way: SchemaWay, form: ReplyForm
) -> None:
    fake.schemas = way
    model = f"openai:m@{fake.base_url}"
    provider = OpenAICompatible("m", fake.base_url)
    before = read_traits(project.connection, model)
    found = await capabilities_of(provider, model, project.connection, "auto")
    assert found.replies == form
    kept = read_traits(project.connection, model)
    assert kept == replace(before, thinking=kept.thinking, questions="chat", replies=form)
    tried = [body for body in fake.bodies if "response_format" in body]
    assert len(tried) == TRIALS
    sent = len(fake.bodies)
    assert (await capabilities_of(provider, model, project.connection, "auto")).replies == form
    assert len(fake.bodies) == sent
    await provider.close()


@pytest.mark.parametrize(("way", "form"), WAYS.items())
async def test_the_check_says_it(fake: FakeOpenAI, way: SchemaWay, form: ReplyForm) -> None:
    fake.schemas = way
    model = f"openai:m@{fake.base_url}"
    provider = OpenAICompatible("m", fake.base_url)
    found = await preflight(provider, model, known=describe(model), replies=True)
    said = found.checks[-1]
    assert (said.name, str(said.result)) == ("replies", "passed")
    assert ("JSON" in said.detail) is (form == "schema")
    await provider.close()


async def test_a_person_who_says_the_form_spares_the_trial(fake: FakeOpenAI) -> None:
    fake.schemas = "enforces"
    provider = OpenAICompatible("m", fake.base_url)
    await capabilities_of(provider, f"openai:m@{fake.base_url}", None, "text")
    assert not any("response_format" in body for body in fake.bodies)
    await provider.close()


async def test_a_server_that_fails_without_a_schema_too_is_no_finding(fake: FakeOpenAI) -> None:
    fake.models = {"another"}
    provider = OpenAICompatible("m", fake.base_url)
    with pytest.raises(ProviderError):
        await capabilities_of(provider, f"openai:m@{fake.base_url}", None, "auto")
    await provider.close()


async def test_the_schema_is_sent_as_openai_has_it(fake: FakeOpenAI) -> None:
    fake.schemas = "enforces"
    provider = OpenAICompatible("m", fake.base_url)
    reply = await provider.ask(asked())
    assert SHAPE.read_reply(reply.draws[0].text) == {"label": "yes"}
    await provider.ask(asked(None))
    with_schema, without = fake.bodies
    assert with_schema["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SHAPE.schema, "strict": True},
    }
    assert "response_format" not in without
    await provider.close()


async def test_openai_itself_gets_an_object(fake: FakeOpenAI) -> None:
    fake.schemas = "enforces"
    provider = OpenAICompatible("m", fake.base_url, own_host=True)
    labels = ReplyShape.parse({"type": "array", "items": {"type": "string", "maxLength": 9}})
    reply = await provider.ask(asked(labels.repeat(3)))
    assert labels.repeat(3).read_reply(reply.draws[0].text) == ["so"] * 3
    schema = fake.bodies[0]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == [INNER]
    await provider.close()


@pytest.mark.parametrize("way", ["refuses 400", "refuses 404", "refuses 422"])
async def test_a_refused_schema_is_told_from_other_refusals(
    fake: FakeOpenAI, way: SchemaWay
) -> None:
    fake.schemas = way
    provider = OpenAICompatible("m", fake.base_url)
    with pytest.raises(SchemaRefusedError):
        await provider.ask(asked())
    assert (await provider.ask(asked(None))).draws
    await provider.close()
