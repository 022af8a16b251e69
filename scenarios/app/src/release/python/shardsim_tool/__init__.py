"""The shardsim command of the wheel: its jar, and the launcher that finds Java."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import List, NoReturn


def home() -> Path:
    """The folder that holds bin and lib. A wheel that runs from its path is unpacked into the cache: Java opens no jar within a zip."""
    here = Path(__file__).parent
    if here.is_dir():
        return here
    wheel = here.parent
    stat = wheel.stat()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shardsim"
    target = cache / f"{wheel.stem}-{stat.st_size}-{stat.st_mtime_ns}"
    if not target.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder, zipfile.ZipFile(wheel) as files:
            files.extractall(folder, [each for each in files.namelist() if each.startswith("shardsim_tool/")])
            try:
                os.rename(Path(folder) / "shardsim_tool", target)
            except OSError:
                if not target.is_dir():  # Otherwise another start was first.
                    raise
    return target


def command() -> List[str]:
    """The words that start shardsim, to which its arguments are added."""
    binary = home() / "bin"
    return [str(binary / "shardsim.bat")] if os.name == "nt" else ["/bin/sh", str(binary / "shardsim")]


def main() -> NoReturn:
    words = command() + sys.argv[1:]
    if os.name == "nt":
        sys.exit(subprocess.call(words))
    os.execv(words[0], words)
