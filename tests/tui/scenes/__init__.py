"""Every screen and state of the app as a scene: the steps that lead to it."""

from tests.tui.scenes import overlays, turns
from tests.tui.scenes.stage import SCENES, stage_for

__all__ = ["SCENES", "overlays", "stage_for", "turns"]
