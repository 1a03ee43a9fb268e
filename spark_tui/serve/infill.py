"""Prompts of editors that fill in the middle or predict the next edit, told by their markers.

Only models that were trained on these markers answer such a prompt. For another one they are text
like any other, and the editor would insert whatever follows.
"""

MARKERS = (
    "<|fim_prefix|>",  # Qwen2.5-Coder, CodeGemma, and Zeta on top of them
    "<|fim_suffix|>",
    "<|fim_middle|>",
    "<|repo_name|>",
    "<|file_sep|>",  # Sweep, and the repository of a Qwen prompt
    "<fim_prefix>",  # StarCoder, Granite
    "<fim_suffix>",
    "<fim_middle>",
    "<|fim_begin|>",  # DeepSeek, in ASCII and as it is in the vocabulary
    "<|fim_hole|>",
    "<|fim_end|>",
    "<｜fim▁begin｜>",
    "<｜fim▁hole｜>",
    "<｜fim▁end｜>",
    "<[fim-prefix]>",  # Seed-Coder, and Zeta 2 on top of it
    "<[fim-suffix]>",
    "<[fim-middle]>",
    "<SUF>",  # Code Llama
    "<MID>",
    "<|editable_region_start|>",  # Zeta
    "<|user_cursor_is_here|>",
    "<|user_cursor|>",
)
"""Codestral's `[SUFFIX]` and `[PREFIX]` are left out: help texts of programs hold them."""


def find_marker(prompt: str) -> str | None:
    """Return a marker of such a format that stands in a prompt; None if there is none."""
    return next((marker for marker in MARKERS if marker in prompt), None)
