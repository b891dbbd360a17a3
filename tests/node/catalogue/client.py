"""The official Python client against the server: both eras over stdio, and HTTP."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

EXPECTED = json.loads(sys.argv[1])
COMMAND = json.loads(sys.argv[2])
URL = sys.argv[3]


async def check(server, mode):
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        seen = {
            "tools": len(tools),
            "readOnly": all(tool.annotations.read_only_hint for tool in tools),
            "resources": [str(each.uri) for each in (await client.list_resources()).resources],
        }
        # The client checks each result against the tool's output schema.
        for name, arguments in EXPECTED["calls"]:
            result = await client.call_tool(name, arguments)
            seen[name] = result.structured_content["result"]
            assert not result.is_error, name
        read = await client.read_resource("skills://catalog/markdown")
        seen["markdown"] = read.contents[0].text.splitlines()[0]
        return seen


async def main():
    command = StdioServerParameters(command=COMMAND["command"], args=COMMAND["args"])
    for server, mode in [(command, "legacy"), (command, "auto"), (URL, "legacy"), (URL, "auto")]:
        print(json.dumps(await check(server, mode)))


asyncio.run(asyncio.wait_for(main(), 50))
