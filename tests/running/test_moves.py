"""Exchanging trees by renames, taken back from any point, over random trees."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.host import file_changes
from app.running.moves import Moves, Trees, dump_moves, load_moves, perform, plan_moves, reverse
from tests.running.worlds import tree_of

SITE = "lib/site-packages"
NAMES = st.sampled_from(["a", "b", "shared", "x.py", "y.py", "data.bin"])
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=10).map(
    # A path cannot be both a file and the folder of another.
    lambda paths: [path for path in dict.fromkeys(paths) if not any(other.startswith(path + "/") for other in paths)]
)


class Stop(Exception):
    pass


class Mover:
    """Renames for real, and stops before the rename after `left`."""

    def __init__(self, left: int = 10_000) -> None:
        self.left = left

    def rename(self, source: str, target: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Stop
        file_changes.rename(source, target)

    def remove(self, path: str) -> None:
        file_changes.remove(path)


def lay(root: Path, paths: list[str], mark: str) -> None:
    for path in paths:
        place = root / SITE / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir() or any(parent.is_file() for parent in place.parents):
            continue
        place.write_text(f"{mark} {path}")
        if path.endswith(".py") and mark == "old":
            cache = place.parent / "__pycache__"
            cache.mkdir(exist_ok=True)
            (cache / f"{place.stem}.cpython-311.pyc").write_text("compiled")


def files(root: Path) -> dict[str, str]:
    return {path: what for path, what in tree_of(root).items() if what != "folder"}


@settings(deadline=None, max_examples=50)
@given(PATHS, PATHS, st.data())
def test_any_interruption_can_be_taken_back_or_finished(quick_folder: Path, old: list[str], new: list[str], data: st.DataObject) -> None:
    base = Path(tempfile.mkdtemp(dir=quick_folder))
    root = base / "env"
    trees = Trees(root, base / "work" / "aside", base / "work" / "staged", base / "work" / "discarded")
    (root / SITE).mkdir(parents=True)
    trees.staged.mkdir(parents=True)
    lay(root, old, "old")
    # A staged file where the environment has a folder, or the other way round, is no wheel that could be installed over it.
    fits = [path for path in new if not (root / SITE / path).is_dir() and not any(p.is_file() for p in (root / SITE / path).parents)]
    lay(trees.staged, fits, "new")
    before, staged = tree_of(root), files(trees.staged)
    removed = data.draw(st.lists(st.sampled_from(old), unique=True)) if old else []
    moves = plan_moves(root, trees.staged, [f"{SITE}/{path}" for path in removed])
    moves = load_moves(dump_moves(moves), "moves")
    expected = {path: what for path, what in files(root).items() if path not in expand(moves, root)} | staged

    stop = data.draw(st.integers(0, 12))
    try:
        perform(moves, trees, Mover(stop), lambda: None)
    except Stop:
        if data.draw(st.booleans()):
            perform(moves, trees, Mover(), lambda: None)
            assert files(root) == expected
    else:
        assert files(root) == expected

    try:
        reverse(moves, trees, Mover(data.draw(st.integers(0, 12))))
    except Stop:
        reverse(moves, trees, Mover())
    assert files(root) == {path: what for path, what in before.items() if what != "folder"}
    reverse(moves, trees, Mover())
    assert files(root) == {path: what for path, what in before.items() if what != "folder"}


def expand(moves: Moves, root: Path) -> set[str]:
    """The single files behind what goes aside."""
    gone: set[str] = set()
    for path in moves.aside:
        place = root / path
        gone |= {file.relative_to(root).as_posix() for file in place.rglob("*") if file.is_file()} if place.is_dir() else {path}
    return gone


def test_a_folder_that_goes_whole_is_one_rename(tmp_path: Path) -> None:
    root, staged = tmp_path / "env", tmp_path / "staged"
    lay(root, [f"torch/part{number}/file{number}.py" for number in range(50)], "old")
    lay(staged, [f"torch/part{number}/file{number}.py" for number in range(60)], "new")
    moves = plan_moves(root, staged, [f"{SITE}/torch/part{number}/file{number}.py" for number in range(50)])
    assert (moves.aside, moves.inward) == ((f"{SITE}/torch",), (f"{SITE}/torch",))
    assert len(moves.files) == 60


def test_what_the_person_put_into_a_package_stays(tmp_path: Path) -> None:
    root, staged = tmp_path / "env", tmp_path / "staged"
    lay(root, ["torch/a.py", "torch/b.py"], "old")
    (root / SITE / "torch" / "mine.txt").write_text("mine")
    lay(staged, ["torch/a.py"], "new")
    trees = Trees(root, tmp_path / "aside", staged, tmp_path / "discarded")
    moves = plan_moves(root, staged, [f"{SITE}/torch/a.py", f"{SITE}/torch/b.py"])
    perform(moves, trees, Mover(), lambda: None)
    assert sorted(path.name for path in (root / SITE / "torch").iterdir() if path.is_file()) == ["a.py", "mine.txt"]


def test_a_program_that_made_a_folder_again_meanwhile_does_not_stop_the_way_back(tmp_path: Path) -> None:
    root, staged = tmp_path / "env", tmp_path / "staged"
    lay(root, ["torch/a.py"], "old")
    staged.mkdir()
    before = files(root)
    trees = Trees(root, tmp_path / "aside", staged, tmp_path / "discarded")
    moves = plan_moves(root, staged, [f"{SITE}/torch/a.py"])
    perform(moves, trees, Mover(), lambda: None)
    (root / SITE / "torch" / "__pycache__").mkdir(parents=True)
    (root / SITE / "torch" / "__pycache__" / "a.cpython-311.pyc").write_text("newer")
    (root / SITE / "torch" / "cache.json").write_text("by the program")
    reverse(moves, trees, Mover())
    after = files(root)
    assert after.pop(f"{SITE}/torch/cache.json")
    assert after == before
