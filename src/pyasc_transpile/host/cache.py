"""The folder on disk that keeps what was built.

An entry is a folder named by the hash of everything its content depends on. It is prepared under another name and
renamed into place, so that a reader sees a whole entry or none. Its record states the hash of every file in it; a file
is used only after its content was found to have that hash. An entry that fails this is as good as absent.

The cache root belongs to one user: a folder that others own or can write to is refused, because what is in it gets
executed. Nothing in it is unpickled.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import platformdirs

from ..errors import TranspileError

_FORMAT = 1
_RECORD = "record.json"
_STALE_SECONDS = 24 * 3600
# Owner that files of users outside a container's user namespace appear to have; "/" itself often does.
_UNMAPPED_UID = 65534


class CacheError(TranspileError, RuntimeError):
    """The cache folder cannot be used."""


def hash_parts(*parts: str) -> str:
    """Hash of a sequence of texts; different sequences never collide by concatenation."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True)
class Entry:
    """A whole entry whose record was read and found undamaged; its files are checked when they are read."""

    path: Path
    files: Mapping[str, str]
    meta: Mapping[str, Any]

    def read(self, name: str) -> Optional[bytes]:
        """Content of a file, or None if it is not what was recorded."""
        wanted = self.files.get(name)
        if wanted is None:
            return None
        try:
            data = (self.path / name).read_bytes()
        except OSError:
            return None
        return data if hashlib.sha256(data).hexdigest() == wanted else None

    def verified(self, name: str) -> Optional[Path]:
        """Path of a file that was found to be as recorded, or None; for what another program has to open by name."""
        return self.path / name if self.read(name) is not None else None


class Cache:
    """A cache in the folder ``root``, which is made if it is not there.

    Raises:
        CacheError: the folder cannot be made, or somebody else owns it or can write to it.
    """

    def __init__(self, root: Path) -> None:
        self.root = _private_folder(root)
        self._entries = self.root / f"v{_FORMAT}"
        self._index = self.root / f"index{_FORMAT}"
        self._scratch = self.root / "tmp"
        try:
            for folder in (self._entries, self._index, self._scratch):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise self._failure(error) from error

    def scratch(self) -> Path:
        """A new private folder on the same file system as the entries; whoever asks removes it."""
        self._scratch.mkdir(mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self._scratch))

    def _failure(self, error: OSError) -> CacheError:
        return CacheError(
            f"cannot write to the cache folder {self.root}: {error.strerror or error}",
            remedy="make room in it, or name another folder in PYASC_TRANSPILE_CACHE",
        )

    def find(self, key: str) -> Optional[Entry]:
        """The entry of ``key``, or None if there is none or its record is damaged."""
        path = self._path(key)
        record = _read_record(path / _RECORD)
        if record is None or record.get("key") != key:
            return None
        files, meta = record.get("files"), record.get("meta")
        if not isinstance(files, dict) or not isinstance(meta, dict):
            return None
        if any("/" in name or os.sep in name for name in files):
            return None
        return Entry(path, files, meta)

    def build(self, key: str, make: Callable[[Path], Mapping[str, Any]]) -> Entry:
        """Make the entry of ``key`` and return it; an intact one that appears meanwhile is kept.

        Args:
            make: fills the folder it is given with files and returns the metadata to record.
        """
        self._remove_stale()
        try:
            return self._build(key, make)
        except OSError as error:
            raise self._failure(error) from error

    def _build(self, key: str, make: Callable[[Path], Mapping[str, Any]]) -> Entry:
        staged = self.scratch()
        try:
            meta = make(staged)
            files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(staged.iterdir())}
            _write_record(staged / _RECORD, {"key": key, "files": files, "meta": dict(meta)})
            return self._publish(key, staged)
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    def find_alias(self, key: str) -> Optional[str]:
        """The entry key that was noted under ``key``."""
        record = _read_record(self._index / f"{key}.json")
        if record is None or record.get("key") != key:
            return None
        target = record.get("entry")
        return target if isinstance(target, str) else None

    def note_alias(self, key: str, entry_key: str) -> None:
        """Note that ``key`` leads to the entry ``entry_key``."""
        folder = self.scratch()
        try:
            _write_record(folder / "alias", {"key": key, "entry": entry_key})
            os.replace(folder / "alias", self._index / f"{key}.json")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError("cache keys are hexadecimal")
        return self._entries / key

    def _publish(self, key: str, staged: Path) -> Entry:
        final = self._path(key)
        for _ in range(16):
            try:
                os.rename(staged, final)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                    raise
                present = self.find(key)
                if present is not None and all(present.read(name) is not None for name in present.files):
                    return present
                self._discard(final)
                continue
            entry = self.find(key)
            if entry is not None:
                return entry
        raise CacheError(f"the cache {self.root} keeps being damaged", remedy="remove that folder")

    def _discard(self, path: Path) -> None:
        grave = self.scratch()
        with contextlib.suppress(OSError):
            os.rename(path, grave / "damaged")
        shutil.rmtree(grave, ignore_errors=True)

    def _remove_stale(self) -> None:
        limit = time.time() - _STALE_SECONDS
        with contextlib.suppress(OSError), os.scandir(self._scratch) as leftovers:
            for leftover in leftovers:
                if leftover.stat(follow_symlinks=False).st_mtime < limit:
                    shutil.rmtree(leftover.path, ignore_errors=True)


def _read_record(path: Path) -> Optional[dict[str, Any]]:
    try:
        outer = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(outer, dict) or not isinstance(outer.get("record"), dict):
        return None
    record: dict[str, Any] = outer["record"]
    return record if outer.get("sha256") == _record_hash(record) else None


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    outer = {"record": record, "sha256": _record_hash(record)}
    path.write_text(json.dumps(outer, sort_keys=True), encoding="utf-8")


def _record_hash(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _private_folder(root: Path) -> Path:
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            root.mkdir(mode=0o700)
        resolved = root.resolve(strict=True)
        status = resolved.stat()
    except OSError as error:
        raise CacheError(
            f"cannot make the cache folder {root}: {error.strerror}",
            remedy="name another folder in PYASC_TRANSPILE_CACHE",
        ) from error
    complaint = _complaint(resolved, status)
    if complaint:
        raise CacheError(
            f"the cache folder {root} is not safe: {complaint}",
            remedy="code in it gets executed, so it must be yours alone: chmod 700 it, remove it, "
            "or name another folder in PYASC_TRANSPILE_CACHE",
        )
    return resolved


def _complaint(folder: Path, status: os.stat_result) -> str:
    """Why ``folder`` must not be used, or nothing."""
    if not stat.S_ISDIR(status.st_mode):
        return "it is not a folder"
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid != os.geteuid():
        return "another user owns it"
    if status.st_mode & 0o022:
        return "other users can write to it"
    for parent in folder.parents:
        above = parent.stat()
        if above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX:
            return f"other users can replace it, because they can write to {parent}"
        if above.st_uid not in (0, os.geteuid(), _UNMAPPED_UID):
            return f"another user owns {parent}"
    return ""


_lock = threading.Lock()
_opened: dict[str, Cache] = {}


def open_cache() -> Cache:
    """The cache of ``PYASC_TRANSPILE_CACHE``, else of the user.

    When the user's own folder cannot be used, a private temporary one serves until the process ends.

    Raises:
        CacheError: the folder that ``PYASC_TRANSPILE_CACHE`` names cannot be used.
    """
    named = os.environ.get("PYASC_TRANSPILE_CACHE", "")
    with _lock:
        cache = _opened.get(named)
        if cache is not None and cache.root.is_dir():
            return cache
        if named:
            cache = Cache(Path(named))
        else:
            try:
                cache = Cache(Path(platformdirs.user_cache_dir("pyasc-transpile", appauthor=False)))
            except CacheError as error:
                warnings.warn(f"{error.message}; using a temporary cache", RuntimeWarning, stacklevel=2)
                cache = _temporary_cache()
        _opened[named] = cache
        return cache


def _temporary_cache() -> Cache:
    folder = tempfile.mkdtemp(prefix="pyasc-transpile-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Cache(Path(folder))
