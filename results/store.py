"""A folder of files on a local disk or an object store, with writes that happen whole or not."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import fs


class StorageError(OSError):
    """A file that cannot be read or written; the text names it and the cause."""


@dataclass(frozen=True)
class StoredFile:
    """A file in a store: its name relative to the store, and its size in bytes."""

    name: str
    size: int


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary name beside a path, which does not end like it, to write to.

    At the end the file has its own name; after an exception there is none.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class Store:
    """A folder by local path or by a URI of pyarrow.fs such as `s3://bucket/x`.

    Names are relative, with slashes.
    """

    def __init__(self, location: str) -> None:
        if "://" in location:
            self.location = location.rstrip("/")
            try:
                self._filesystem, self._base = fs.FileSystem.from_uri(self.location)
            except (OSError, ValueError) as error:
                raise StorageError(f"cannot open {location}: {_cause(error)}") from None
        else:
            self._filesystem, self._base = fs.LocalFileSystem(), str(Path(location).absolute())
        self.is_local = isinstance(self._filesystem, fs.LocalFileSystem)
        if self.is_local:
            self.location = self._base

    def __str__(self) -> str:
        return self.location

    def path(self, name: str) -> Path:
        """The path of a file of a local store."""
        return Path(self.location, name)

    def exists(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return bool(self._filesystem.get_file_info(f"{self._base}/{name}").is_file)

    def files(self, folder: str) -> list[StoredFile]:
        """The files under a folder at any depth, by name; none where it does not exist."""
        selector = fs.FileSelector(f"{self._base}/{folder}", recursive=True, allow_not_found=True)
        infos = self._filesystem.get_file_info(selector)
        prefix = len(self._base) + 1
        return sorted(
            (StoredFile(info.path[prefix:], info.size) for info in infos if info.is_file),
            key=lambda file: file.name,
        )

    def read(self, name: str) -> bytes:
        """The content of a file; raises StorageError."""
        try:
            with self._filesystem.open_input_stream(f"{self._base}/{name}") as stream:
                return bytes(stream.read())
        except OSError as error:
            raise StorageError(f"cannot read {self.location}/{name}: {_cause(error)}") from None

    def open(self, name: str):  # type: ignore[no-untyped-def]  # pyarrow.NativeFile
        """A file opened for reading at any offset; raises StorageError."""
        try:
            return self._filesystem.open_input_file(f"{self._base}/{name}")
        except OSError as error:
            raise StorageError(f"cannot read {self.location}/{name}: {_cause(error)}") from None

    def dataset(self, names: list[str], schema: pa.Schema):  # type: ignore[no-untyped-def]
        """Parquet files as one pyarrow.dataset.Dataset, which is read as it is asked for."""
        from pyarrow import dataset

        paths = [f"{self._base}/{name}" for name in names]
        return dataset.dataset(paths, schema, "parquet", self._filesystem)

    def write(self, name: str, content: bytes) -> None:
        """Writes a file that appears whole or not at all; raises StorageError.

        Locally by a temporary name beside it, which does not end like the final one, flushed to the
        disk and renamed; on an object store by one upload of the final key.
        """
        try:
            if self.is_local:
                self._write_local(self.path(name), content)
            else:
                with self._filesystem.open_output_stream(f"{self._base}/{name}") as stream:
                    stream.write(content)
        except OSError as error:
            raise StorageError(f"cannot write {self.location}/{name}: {_cause(error)}") from None

    @staticmethod
    def _write_local(path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as temporary, temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())

    def delete(self, name: str) -> None:
        """Removes a file; raises StorageError."""
        try:
            self._filesystem.delete_file(f"{self._base}/{name}")
        except OSError as error:
            raise StorageError(f"cannot delete {self.location}/{name}: {_cause(error)}") from None


def _cause(error: Exception) -> str:
    """What an error says, without what pyarrow wraps around it."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0]
