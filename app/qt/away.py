"""What reaches a person who looks elsewhere: progress in the taskbar, and a notice when long work has ended."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.host.taskbar import State, TaskbarProgress
from app.qt.icons import app_icon

LONG_S: Final = 15.0
"""Work that takes less is still being looked at."""

NOTICE_MS: Final = 15_000


class Away(QObject):
    """Of one window. The icon beside the clock is there only while a notice is shown."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._taskbar: TaskbarProgress | None = None
        self._shown: tuple[int, State] = (0, "none")
        self._tray: QSystemTrayIcon | None = None
        window.installEventFilter(self)

    def show_progress(self, share: float, state: State = "running") -> None:
        """In the taskbar button; `none` takes it away."""
        wanted = (round(share * 100), state)
        if wanted == self._shown:
            return
        self._shown = wanted
        if self._taskbar is None:
            self._taskbar = TaskbarProgress(int(self._window.winId()))
        self._taskbar.show(share, state)

    def tell_end(self, title: str, text: str, seconds: float) -> bool:
        """After work of that many seconds, unless the window is looked at. Whether anything was told."""
        self.show_progress(0, "none")
        if seconds < LONG_S or self._is_looked_at():
            return False
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            self._tray = QSystemTrayIcon(app_icon(), self)
            self._tray.messageClicked.connect(self._come)
            self._tray.activated.connect(self._come)
            self._tray.show()
            self._tray.showMessage(title, text, app_icon(), NOTICE_MS)
            QTimer.singleShot(NOTICE_MS, self._take_away)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            self._take_away()
        return super().eventFilter(watched, event)

    def _is_looked_at(self) -> bool:
        return self._window.isActiveWindow() and not self._window.isMinimized()

    def _come(self) -> None:
        self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
        self._window.show()
        self._window.activateWindow()
        # Where another program keeps the front, no activation follows that would do it.
        self._take_away()

    def _take_away(self) -> None:
        if self._tray is not None:
            self._tray.hide()
            self._tray.deleteLater()
            self._tray = None
