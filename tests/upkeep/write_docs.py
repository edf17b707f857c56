"""Writes what docs/ holds that is made by the program: the page of causes, and the pictures. `python3 dev.py docs`."""

from pathlib import Path

from app.diagnosis.logs.causes_page import causes_page
from tests.upkeep.draw_pictures import draw_pictures


def main() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "causes.md"
    page.write_text(causes_page(), encoding="utf-8", newline="\n")
    for written in (page, *draw_pictures()):
        print(written)


if __name__ == "__main__":
    main()
