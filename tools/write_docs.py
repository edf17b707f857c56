"""Writes the pages of docs/ that are made from tables: `python3 dev.py docs`."""

from pathlib import Path

from app.diagnosis.logs.causes_page import causes_page


def main() -> None:
    page = Path(__file__).resolve().parents[1] / "docs" / "causes.md"
    page.write_text(causes_page(), encoding="utf-8", newline="\n")
    print(page)


if __name__ == "__main__":
    main()
