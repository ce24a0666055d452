"""OpenAI's Responses format, for a model that searched the web before it answered."""

from typing import Any

PAGES = (
    ("A page of one site", "https://one.example/page?utm_source=openai"),
    ("", "https://two.example/"),
)


def answer_after_search(text: str) -> dict[str, Any]:
    """An answer that cites two pages behind its text, the first of them twice."""
    cited = "".join(f" ([{url.split('/')[2]}]({url}))" for _, url in (*PAGES, PAGES[0]))
    notes = [
        {
            "type": "url_citation",
            "start_index": len(text),
            "end_index": len(text) + len(cited),
            "title": title,
            "url": url,
        }
        for title, url in (*PAGES, PAGES[0])
    ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "m",
        "output": [
            {"id": "rs_1", "type": "reasoning", "summary": []},
            {
                "id": "ws_1",
                "type": "web_search_call",
                "status": "completed",
                "action": {"type": "search", "query": "q", "queries": ["q"]},
            },
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text + cited, "annotations": notes}],
            },
        ],
        "usage": {
            "input_tokens": 900,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 70,
            "output_tokens_details": {"reasoning_tokens": 40},
            "total_tokens": 970,
        },
    }


def texts_of(document: dict[str, Any]) -> list[str]:
    """The texts in such an answer."""
    messages = [one for one in document["output"] if one["type"] == "message"]
    return [part["text"] for one in messages for part in one["content"]]
