"""spark as an agent of editors: the Agent Client Protocol, version 1, over stdio (extra `agents`).

From below: `transport` exchanges messages; `uris` and `blocks` read the parts of a prompt; `editor`
sends updates and questions to the editor; `buffers` has the files as the editor shows them;
`prompt_reader` turns a prompt into words; `turns` runs a turn and shows the edit as it grows;
`decisions` asks which hunks to accept, and has them written; `commands`, `options`, `checks`,
`tasks` and `history` are the other parts of a conversation; `model_loader` loads the model;
`workplace` is one session of an editor; `agent` answers the protocol.

Who writes a file:

- If the editor has no unsaved text of a file, spark writes it by its own protocol (`vcs/`), and
  `/undo` or `spark undo` takes the edit back.
- If it has, the edit is made to that text, and only the editor writes it (`fs/write_text_file`);
  the editor's own undo takes the edit back.
- A text that changed since the edit was made is never overwritten: nothing is written, and the
  edit stays open for `/accept`.

Source: Agent Client Protocol, version 1, https://agentclientprotocol.com.
"""
