"""Pictures from the screen and the clipboard."""

import numpy as np

from farm.errors import UsageProblem


def grab_screen() -> np.ndarray:
    """All that the screens show now, uint8[height, width, 3] in BGR; raises UsageProblem."""
    try:
        import mss
    except ImportError:
        raise UsageProblem(
            "--screen needs the library mss: pip install 'dealfarm[vision]'"
        ) from None
    try:
        with mss.MSS() as screen:
            shot = screen.grab(screen.monitors[0])
    except Exception as error:  # each system has exceptions of its own
        raise UsageProblem(f"--screen: the screen cannot be read: {error}") from None
    pixels: np.ndarray = np.asarray(shot)[..., :3].copy()
    return pixels


def grab_clipboard() -> np.ndarray:
    """The picture in the clipboard, uint8[height, width, 3] in BGR; raises UsageProblem."""
    try:
        from PIL import Image, ImageGrab
    except ImportError:
        raise UsageProblem(
            "--clipboard needs the library pillow: pip install 'dealfarm[vision]'"
        ) from None
    try:
        held = ImageGrab.grabclipboard()
    except Exception as error:  # each system has exceptions of its own
        raise UsageProblem(f"--clipboard: the clipboard cannot be read: {error}") from None
    if not isinstance(held, Image.Image):
        raise UsageProblem("--clipboard: expected a picture, got none")
    pixels: np.ndarray = np.asarray(held.convert("RGB"))[..., ::-1].copy()
    return pixels
