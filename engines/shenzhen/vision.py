"""The image library, which is an extra: what imports it says how to get it where it is missing."""

from typing import Any

import numpy as np


class PictureError(ValueError):
    """A picture that cannot be read as a board; the text says what was not found."""


class VisionMissing(RuntimeError):
    """The image library is not installed."""


def image_library() -> Any:
    """The module cv2; raises VisionMissing where it is not installed."""
    try:
        import cv2
    except ImportError as error:
        raise VisionMissing(
            "reading pictures needs opencv-python-headless: pip install 'dealfarm[vision]' "
            f"({error})"
        ) from None
    return cv2


def decode_image(data: bytes) -> np.ndarray:
    """The picture in a PNG, JPEG, BMP or other image file's bytes, uint8[height, width, 3], BGR.

    Raises PictureError for bytes that are no image, VisionMissing without the image library.
    """
    cv2 = image_library()
    image = None
    if data:
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error as error:
            raise PictureError(f"the image cannot be decoded: {error.err}") from None
    if image is None:
        raise PictureError("expected an image such as PNG or JPEG, got something else")
    decoded: np.ndarray = image
    return decoded


def encode_png(image: np.ndarray) -> bytes:
    """A picture as the bytes of a PNG file."""
    done, data = image_library().imencode(".png", image)
    if not done:
        raise PictureError("the picture cannot be written as PNG")
    return bytes(data)
