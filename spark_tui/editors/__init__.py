"""spark as an agent of editors: the Agent Client Protocol, version 1, over stdio (extra `agents`).

From below: `transport` exchanges messages; `uris` and `blocks` read what a prompt holds; `editor`
tells and asks the editor; `buffers` are the files as the editor has them, and `prompt_reader` makes
words of a prompt; `turns` runs a turn and shows the edit as it grows; `decisions` asks which hunks
to accept, and has them written; `commands`, `options`, `checks`, `tasks` and `history` are what
else a conversation has; `loading` waits for the model, `workplace` is one session of an editor, and
`agent` answers the protocol.

What goes which way:

- A file that the editor has as it is on disk is written by spark's own protocol (`vcs/`), and
  `/undo` or `spark undo` takes it back.
- A file with unsaved text is edited as the editor has it and written by the editor alone
  (`fs/write_text_file`), whose own undo takes it back.
- A text that changed since the edit was made is never written over: nothing is written, and the
  edit stays open for `/accept`.

Source: Agent Client Protocol, version 1, https://agentclientprotocol.com.
"""
