// The official TypeScript SDK 2.x: one JSON task as the argument, one JSON line as the answer.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const task = JSON.parse(process.argv[2]);
const client = new Client({ name: "typescript-sdk-2", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
const transport = new StreamableHTTPClientTransport(new URL(task.url), {
  requestInit: { headers: { Authorization: `Bearer ${task.token}` } },
});
await client.connect(transport);
await client.ping();
const listed = await client.listTools();
const found = await client.callTool({ name: task.tool, arguments: task.arguments });
const failed = await client.callTool({ name: task.tool, arguments: task.mistake });
const answer = {
  version: transport.protocolVersion,
  pinged: true,
  tools: listed.tools.map((tool) => tool.name),
  found: found.structuredContent,
  failed: failed.isError === true,
  failure: failed.content[0].text,
};
await client.close();
console.log(JSON.stringify(answer));
