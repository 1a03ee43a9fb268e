"""One warm engine for shells, editors and scripts: `spark serve`.

Requests come over a unix socket or a loopback port (`app`), take turns (`turn_order`), and run on
one thread (`engine_thread`). Only this room imports starlette and uvicorn.
"""
