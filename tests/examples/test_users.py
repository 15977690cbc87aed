import httpx
import pytest


@pytest.mark.parametrize("path", ["/untyped", "/typed", "/response-model"])
def test_every_way_of_answering_sends_the_bytes_of_the_published_claim(
    users: httpx.Client, path: str
) -> None:
    response = users.get(path)

    assert response.status_code == 200
    assert len(response.content) == 75_171
    assert response.content == users.get("/typed").content


def test_the_health_check_is_a_small_answer(users: httpx.Client) -> None:
    assert users.get("/health").content == b'{"status":"ok"}'
