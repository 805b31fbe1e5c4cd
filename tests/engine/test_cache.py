"""The bounded cache."""

from __future__ import annotations

import threading

from tfgrad_jax.engine.cache import Cache


def test_what_is_not_kept_is_none():
    cache = Cache(2)
    assert cache["a"] is None and cache.get("a") is None and cache.get("a", 1) == 1 and "a" not in cache


def test_there_are_never_more_than_twice_as_many_entries_as_the_limit():
    cache = Cache(10)
    for i in range(1000):
        cache[i] = -i
        assert len(cache.everything()) <= 20
    assert list(cache.everything().items())[-10:] == [(i, -i) for i in range(990, 1000)]


def test_what_comes_back_before_as_many_others_stays():
    cache = Cache(50)
    made = []
    for _ in range(5):
        for i in range(50):
            if cache[i] is None:
                made.append(i)
                cache[i] = i + 1
    assert made == list(range(50))


def test_an_entry_in_use_outlives_all_others():
    cache = Cache(4)
    cache["used"] = "kept"
    for i in range(100):
        cache[i] = i
        assert cache["used"] == "kept"
    assert cache[0] is None and cache[99] == 99


def test_the_first_value_kept_for_a_key_wins():
    cache = Cache(2)
    assert cache.keep("a", 1) == 1 and cache.keep("a", 2) == 1
    cache["b"], cache["c"] = 3, 4  # "a" is among the older ones now
    assert cache.keep("a", 2) == 1 and cache["a"] == 1
    cache["a"] = 5
    assert cache["a"] == 5


def test_an_entry_is_forgotten_wherever_it_is():
    cache = Cache(1)
    cache["old"], cache["young"] = 1, 2
    assert cache.pop("old") == 1 and cache.pop("young") == 2 and cache.pop("young") is None
    cache["a"], cache["b"] = 1, 2
    cache.clear()
    assert not cache.everything() and cache["a"] is None


def test_what_goes_may_ask_the_cache_as_it_goes():
    cache = Cache(1)

    class Asks:
        def __del__(self):
            cache.pop("b")

    cache["a"] = Asks()
    cache["b"], cache["c"] = 2, 3
    assert cache["b"] is None and cache["c"] == 3


def test_threads_share_what_is_kept_first():
    cache, start, seen = Cache(8), threading.Barrier(4), []

    def work():
        start.wait()
        for i in range(2000):
            key = i % 40
            seen.append((key, cache.keep(key, key), cache[key]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(seen) == 8000 and all(kept == key and found in (key, None) for key, kept, found in seen)
    assert len(cache.everything()) <= 16
