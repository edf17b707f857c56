from PySide6.QtGui import QFontMetricsF

from app.qt.look import look
from app.qt.parts.words import Words, elide_middle, wrap


def test_lines_hold_the_whole_text(app):
    text = "Check this PC, install what fits, and prove that it works. About 10 minutes."
    lines = wrap(text, "body", 160)
    assert len(lines) > 2
    assert " ".join(lines) == text
    assert all(QFontMetricsF(look().font("body")).horizontalAdvance(line) <= 161 for line in lines)


def test_no_single_chinese_character_stands_on_the_last_line(app):
    look().set_language("zh_CN")
    text = "安装之前必须满足这些条件"
    for width in range(30, 190, 3):
        lines = wrap(text, "body", width)
        assert "".join(lines) == text
        if len(lines) > 1 and len(lines[-2]) > 2:
            assert len(lines[-1]) > 1, (width, lines)


def test_signs_beyond_the_basic_plane_stay_whole(app):
    text = "🚀🚀🚀 start 🚀🚀🚀🚀🚀🚀 end"
    assert "".join(wrap(text, "body", 60)).replace(" ", "") == text.replace(" ", "")


def test_a_path_is_cut_in_its_middle(app):
    shown = elide_middle(r"D:\AI\ComfyUI_windows_portable\python_embeded\python.exe", "code", 200)
    assert shown.startswith("D:")
    assert "…" in shown
    assert shown.endswith(".exe")


def test_height_follows_the_width(app):
    label = Words("word " * 40)
    assert label.heightForWidth(200) > label.heightForWidth(400) > label.heightForWidth(2000) == look().line_height("body")


def test_markup_is_shown_as_it_is(app):
    label = Words("<b>bold</b><img src=x>")
    assert label.accessibleName() == "<b>bold</b><img src=x>"
    assert label.sizeHint().width() > QFontMetricsF(look().font("body")).horizontalAdvance("<b>bold</b><img")


def test_text_size_of_the_system_makes_everything_larger(app):
    small = Words("Hello").sizeHint()
    look().set_text_scale(2.0)
    large = Words("Hello").sizeHint()
    assert large.height() == 2 * small.height()
    assert large.width() > 1.9 * small.width()


def test_a_path_of_windows_breaks_behind_a_folder_never_behind_its_drive(app):
    text = r"Make the environment C:\Users\user\AppData\Local\TritonSetup\environments\triton"
    for width in range(150, 600, 25):
        lines = wrap(text, "body", width)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(line.isprintable() and not line.endswith("C:") for line in lines)
        assert all(line.endswith(("\\", "environment", "Make", "the")) for line in lines[:-1]), lines
