"""The cache folder: private, atomic, and never trusted without its hashes."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pyasc_transpile.host import cache as cache_module
from pyasc_transpile.host.cache import Cache, CacheError, Entry, hash_parts, open_cache
from pyasc_transpile.host.library import load_private
from pyasc_transpile.host.toolchain import find_compiler, run

KEY = hash_parts("some", "key")


def _fill(folder: Path, content: bytes = b"content") -> dict[str, Any]:
    (folder / "a.bin").write_bytes(content)
    (folder / "b.txt").write_text("text")
    return {"name": "a"}


def _file(entry: Entry, name: str = "a.bin") -> Path:
    return entry.path / name


def test_an_entry_comes_back_as_it_was_made(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.find(KEY) is None
    entry = cache.build(KEY, _fill)
    found = cache.find(KEY)
    assert found is not None and found.path == entry.path
    assert found.read("a.bin") == b"content"
    assert found.meta == {"name": "a"}
    assert found.read("missing") is None
    assert not list((tmp_path / "cache" / "tmp").iterdir())


def test_the_folder_is_private(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "cache")
    assert stat.S_IMODE(cache.root.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.write_bytes(b"other"), lambda path: path.write_bytes(b"cont"), lambda path: path.unlink()],
    ids=["changed", "truncated", "removed"],
)
def test_a_damaged_file_is_never_returned_and_its_entry_is_rebuilt(tmp_path: Path, damage: Any) -> None:
    cache = Cache(tmp_path / "cache")
    damage(_file(cache.build(KEY, _fill)))
    found = cache.find(KEY)
    assert found is not None and found.read("a.bin") is None
    assert cache.build(KEY, _fill).read("a.bin") == b"content"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"record": {}, "sha256": "0"}', "\xff\xfe"])
def test_a_damaged_record_makes_the_entry_absent(tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path / "cache")
    _file(cache.build(KEY, _fill), "record.json").write_text(text, encoding="latin-1")
    assert cache.find(KEY) is None
    assert cache.build(KEY, _fill).read("b.txt") == b"text"


def test_a_record_with_another_hash_for_the_library_is_not_believed(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    entry = cache.build(KEY, _fill)
    record = json.loads(_file(entry, "record.json").read_text())
    record["record"]["files"]["a.bin"] = "0" * 64
    _file(entry, "record.json").write_text(json.dumps(record))
    assert cache.find(KEY) is None


def test_a_record_moved_to_another_key_is_not_believed(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    entry = cache.build(KEY, _fill)
    other = hash_parts("another")
    os.rename(entry.path, entry.path.parent / other)
    assert cache.find(other) is None


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")

    def fail(folder: Path) -> dict[str, Any]:
        (folder / "half").write_text("half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        cache.build(KEY, fail)
    assert cache.find(KEY) is None
    assert not list((tmp_path / "cache" / "tmp").iterdir())


def test_aliases(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.find_alias(KEY) is None
    cache.note_alias(KEY, "abc")
    assert cache.find_alias(KEY) == "abc"
    path = next((tmp_path / "cache").glob("index*/*.json"))
    path.write_text(path.read_text().replace("abc", "abd"))
    assert cache.find_alias(KEY) is None


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o770)
    with pytest.raises(CacheError, match="other users can write to it"):
        Cache(folder)
    folder.chmod(0o700)
    Cache(folder)


def test_a_folder_that_others_can_replace_is_refused(tmp_path: Path) -> None:
    parent = tmp_path / "open"
    parent.mkdir()
    parent.chmod(0o777)
    with pytest.raises(CacheError, match="other users can replace it"):
        Cache(parent / "cache")
    parent.chmod(0o1777)
    Cache(parent / "cache")


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(CacheError, match="another user owns it"):
        Cache(folder)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(CacheError):
        Cache(tmp_path / "cache")


def test_the_named_cache_is_used_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYASC_TRANSPILE_CACHE", str(tmp_path / "named"))
    assert open_cache().root == (tmp_path / "named").resolve()
    bad = tmp_path / "bad"
    bad.mkdir()
    bad.chmod(0o777)
    monkeypatch.setenv("PYASC_TRANSPILE_CACHE", str(bad))
    with pytest.raises(CacheError):
        open_cache()


def test_the_users_own_cache_falls_back_to_a_private_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    bad.chmod(0o777)
    monkeypatch.delenv("PYASC_TRANSPILE_CACHE", raising=False)
    monkeypatch.setattr(cache_module.platformdirs, "user_cache_dir", lambda *_, **__: str(bad))
    monkeypatch.setattr(cache_module, "_opened", {})
    with pytest.warns(RuntimeWarning, match="temporary cache"):
        cache = open_cache()
    assert cache.root != bad.resolve()
    assert stat.S_IMODE(cache.root.stat().st_mode) == 0o700


def _race(root: str, results: Any) -> None:
    cache = Cache(Path(root))
    problems = 0
    for turn in range(20):
        key = hash_parts("race", str(turn))
        entry = cache.build(key, lambda folder: _fill(folder, b"x" * 50000))
        problems += entry.read("a.bin") != b"x" * 50000
        found = cache.find(key)
        problems += found is None or found.read("a.bin") != b"x" * 50000
    results.put(problems)


def test_several_processes_build_the_same_entries(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    root = str(tmp_path / "cache")
    workers = [context.Process(target=_race, args=(root, results)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    assert [results.get(timeout=5) for _ in workers] == [0, 0, 0, 0]
    assert not list((tmp_path / "cache" / "tmp").iterdir())


def test_readers_never_see_half_an_entry_while_it_is_damaged_and_rebuilt(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    root = str(tmp_path / "cache")
    enough = context.Event()
    worker = context.Process(target=_damage_and_rebuild, args=(root, enough))
    worker.start()
    cache = Cache(Path(root))
    key = hash_parts("damaged")
    seen = 0
    while worker.is_alive():
        entry = cache.find(key)
        data = entry.read("a.bin") if entry is not None else None
        if data is not None:
            assert data == b"x" * 50000
            seen += 1
        if seen >= 5:
            enough.set()
    worker.join()
    assert worker.exitcode == 0
    assert seen > 0


def _damage_and_rebuild(root: str, enough: Any) -> None:
    """Goes on until the reader has seen enough, however busy the machine is; a minute at most."""
    cache = Cache(Path(root))
    key = hash_parts("damaged")
    end = time.monotonic() + 60
    while not enough.is_set() and time.monotonic() < end:
        entry = cache.build(key, lambda folder: _fill(folder, b"x" * 50000))
        assert entry.read("a.bin") is not None
        time.sleep(0.01)  # for a while the entry is good
        (entry.path / "a.bin").write_bytes(b"y" * 50000)


def test_what_was_hashed_is_what_is_loaded(tmp_path: Path) -> None:
    """Libraries are loaded from a private copy, and two loaded one after the other stay different libraries."""
    cache = Cache(tmp_path / "cache")
    libraries = []
    for value in (1, 2):
        source = tmp_path / f"value{value}.cpp"
        source.write_text(f'extern "C" int value() {{ return {value}; }}\n')
        output = tmp_path / f"value{value}.so"
        result = run([*find_compiler().command, "-shared", "-fPIC", str(source), "-o", str(output)], tmp_path)
        assert result.returncode == 0, result.stderr
        libraries.append(load_private(output.read_bytes(), "value", cache))
    assert [library.value() for library in libraries] == [1, 2]
    assert all(isinstance(library, ctypes.CDLL) for library in libraries)
    assert not list((tmp_path / "cache" / "tmp").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")
def test_hash_parts_tells_sequences_apart() -> None:
    assert hash_parts("ab", "c") != hash_parts("a", "bc") != hash_parts("abc")
