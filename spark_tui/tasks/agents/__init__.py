"""Agents that the user has installed, at work on a task: spark as a client of their protocol.

`open_agent_task` gives an `AgentTask`, whose events are those of a `Task` and a few more. It begins
and ends like any other task: the same store, the same log, the same outcome.

    name, words = split_agent("@vibe use pathlib in report.py")
    agent = find_agent(name, settings.agents)
    log = store.begin(words, f"{MARK}{name}", budget=Budget(steps=MOST_STEPS))
    task = open_agent_task(store, repo, log, agent, rules, keys, asks=True)
    for event in task.events():
        show(event)  # `task.decide` answers a PermissionAsked whose `allowed` is None

From below: `process` runs the program of an agent; `connection` exchanges messages with it;
`files`, `terminals` and `permissions` answer what the agent asks of its client; `tool_calls` keeps
what is known of its tool calls; `client` speaks the protocol; `task` makes steps of all that, and
`registry` finds the agent that the user means.

The agent is not trusted. Its program sees few variables, writes where it may (in bubblewrap, where
that works), and is ended with all that it started. What it asks spark to do is done within the work
tree of the task, or refused; what it says is text.

Source: Agent Client Protocol, version 1, https://agentclientprotocol.com.
"""
