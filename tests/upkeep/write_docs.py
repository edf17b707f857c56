"""Writes what is made by the program: the page of causes, the pictures of docs/, and the tables in their fast form. `python3 dev.py docs`."""

from pathlib import Path

from app.diagnosis.logs.causes_page import causes_page
from tests.upkeep.draw_pictures import draw_pictures
from tests.upkeep.read_ahead import write_read_ahead


def main() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "causes.md"
    page.write_text(causes_page(), encoding="utf-8", newline="\n")
    for written in (page, write_read_ahead(), *draw_pictures()):
        print(written)


if __name__ == "__main__":
    main()
